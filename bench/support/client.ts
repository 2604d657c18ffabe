/** A client with as little overhead as possible, so that the server is measured. */
export interface Client {
  request(method: string, params?: Record<string, unknown>): Promise<Record<string, unknown>>;
  notify(method: string): void | Promise<void>;
  close(): Promise<void>;
}

export interface Answer {
  id: number;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** Errors must not be measured as answers. */
export function resultOf({ result, error }: Answer, method: string): Record<string, unknown> {
  if (error || !result) throw new Error(`${method} failed: ${error?.message ?? 'no result'}`);
  if (result.isError === true) throw new Error(`${method} failed: ${JSON.stringify(result.content)}`);
  return result;
}

export async function shakeHands(client: Client): Promise<void> {
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  });
  await client.notify('notifications/initialized');
}
