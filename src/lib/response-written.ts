import type { ServerResponse } from 'node:http';

/** Whether an ended response was written to the client. */
export function responseWritten(response: ServerResponse): Promise<boolean> {
  if (response.writableFinished) return Promise.resolve(true);
  if (response.destroyed) return Promise.resolve(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  response.once('finish', () => resolve(true)).once('close', () => resolve(false));
  return promise;
}
