/** A client that sends recorded bytes and compares what comes back: no SDK in the measured path. */
export interface Wire {
  /** For what is not measured. */
  request(method: string, params?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Which tool `call` calls. */
  useTool(name: string): void;
  /** One call, with a text that no other has. Fails unless that text comes back. */
  call(): Promise<void>;
  close(): Promise<void>;
}

export interface Waiting {
  resolve(text: string): void;
  reject(error: Error): void;
}

/** Ids of calls, all of the same length. */
export const FIRST_CALL = 100_000_000;

const textOfCall = (id: number) => `call ${id}`;

/** A request up to its id and its text, which are what differs between calls. */
export function recordedCall(tool: string, meta?: object): (id: number) => string {
  const params = { name: tool, arguments: { text: 'TEXT' }, ...(meta ? { _meta: meta } : {}) };
  const recorded = JSON.stringify({ jsonrpc: '2.0', id: 'ID', method: 'tools/call', params });
  const [beforeId = '', afterId = ''] = recorded.split('"ID"');
  const [beforeText = '', afterText = ''] = afterId.split('TEXT');
  return (id) => `${beforeId}${id}${beforeText}${textOfCall(id)}${afterText}`;
}

export function checkAnswer(answer: string, id: number): void {
  if (answer.includes(`"text":"${textOfCall(id)}"`)) return;
  throw new Error(`A call was answered with ${answer.slice(0, 1_000)}`);
}

/** The result in a message. */
export function resultIn(text: string): Record<string, unknown> {
  const { result, error } = JSON.parse(text) as { result?: Record<string, unknown>; error?: { message: string } };
  if (!result) throw new Error(`A request failed: ${error?.message ?? text.slice(0, 1_000)}`);
  return result;
}

export const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};
