import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { withDeadline } from '../../lib/deadline.ts';
import { type CallOptions, type Listener, RpcError, USUAL_TIMEOUT_MS } from './daemon.ts';

const Message = z.object({
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string().catch(''), data: z.unknown().optional() }).nullish(),
});

/** Requests and their answers over lines of JSON. */
export function createRpc(write: (line: string) => void, { received, late }: Listener) {
  const waiting = new Map<string, PromiseWithResolvers<unknown>>();
  // Answers to requests of an earlier process may still be read.
  const own = randomBytes(6).toString('hex');
  let count = 0;
  let failure: Error | undefined;

  async function call(
    method: string,
    params: Record<string, unknown> = {},
    { id = `${own} ${++count}`, timeoutMs = USUAL_TIMEOUT_MS, signal }: CallOptions = {},
  ): Promise<unknown> {
    if (failure) throw failure;
    const answer = Promise.withResolvers<unknown>();
    answer.promise.catch(() => {});
    waiting.set(id, answer);
    try {
      write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return await withDeadline(timeoutMs, signal, tooLate, () => answer.promise);
    } finally {
      waiting.delete(id);
    }
  }

  return {
    call,
    /** A message of signal-cli; `stored` as in `Listener`. */
    take(message: unknown, stored: () => void): void {
      const { id, method, params, result, error } = Message.safeParse(message).data ?? {};
      if (method === 'receive') return received(params, stored);
      if (method === undefined && id !== undefined && id !== null) answered(String(id), result, error);
      stored();
    },
    fail(error: Error): void {
      failure ??= error;
      for (const { reject } of waiting.values()) reject(error);
    },
  };

  function answered(id: string, result: unknown, error: z.infer<typeof Message>['error']): void {
    const answer = waiting.get(id);
    if (error) answer?.reject(new RpcError(error.code, error.message, error.data));
    else if (answer) answer.resolve(result);
    else late(id, result);
  }
}

function tooLate(why: 'timeout' | 'cancelled'): Error {
  return new Error(why === 'timeout' ? 'signal-cli did not answer in time.' : 'The request was given up.');
}
