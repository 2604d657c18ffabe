import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { createEventParser } from '../../lib/event-parser.ts';
import { WrongServer } from '../connection-failure.ts';
import { createHttpClient, type HttpResponse } from '../http-client.ts';
import { wholeContent } from '../limited-content.ts';
import { type Daemon, type Listener, MAX_LINE_BYTES, NotReached, USUAL_TIMEOUT_MS } from './daemon.ts';
import { createRpc } from './rpc.ts';

const NEVER_ARRIVED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
const SIGN_OFF_MS = 1_000;
const Answer = z.object({ id: z.unknown() });

/** signal-cli over HTTP: requests by POST, received messages as server-sent events. */
export function connectHttp(endpoint: string, listener: Listener, signal: AbortSignal): Daemon {
  const http = createHttpClient();
  const base = endpoint.replace(/\/+$/, '');
  const ended = Promise.withResolvers<Error>();
  const over = new AbortController();
  let events: HttpResponse | undefined;
  let held: PromiseWithResolvers<void> | undefined;
  let isOver = false;

  async function call(...[method, params, options = {}]: Parameters<Daemon['call']>): Promise<unknown> {
    const { timeoutMs = USUAL_TIMEOUT_MS } = options;
    const caller = options.signal ? AbortSignal.any([over.signal, options.signal]) : over.signal;
    const sent = Promise.withResolvers<string>();
    const rpc = createRpc(sent.resolve, listener);
    const answer = rpc.call(method, params, options);
    // It fails with the exchange.
    answer.catch(() => {});
    await withDeadline(
      timeoutMs,
      caller,
      () => new Error('signal-cli did not answer in time.'),
      async (each) => {
        rpc.take(await exchange(await sent.promise, each), () => {});
      },
    ).catch((error: unknown) => rpc.fail(reasonOf(error)));
    return answer;
  }

  async function exchange(body: string, each: AbortSignal): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const response = await http.request(`${base}/api/v1/rpc`, { method: 'POST', headers, body, signal: each });
    if (response.status !== 200) {
      response.body.destroy();
      throw statusError(response.status);
    }
    const content = await wholeContent(response.body, MAX_LINE_BYTES);
    try {
      const answer: unknown = JSON.parse(content.toString('utf8'));
      Answer.parse(answer);
      return answer;
    } catch (cause) {
      throw new WrongServer('signal-cli', 'other protocol', cause);
    }
  }

  async function follow({ body }: HttpResponse): Promise<void> {
    const parser = createEventParser({
      maxBytes: MAX_LINE_BYTES,
      onEvent: ({ data }) => listener.received(JSON.parse(data), () => {}),
      onTooLarge: () => end(new Error('An event of signal-cli is too large.')),
    });
    for await (const chunk of body as AsyncIterable<Buffer>) {
      parser.push(chunk);
      await held?.promise;
    }
    throw new Error('signal-cli closed the connection');
  }

  function end(error: unknown): void {
    isOver = true;
    held?.resolve();
    events?.body.destroy();
    http.close();
    ended.resolve(error instanceof Error ? error : new Error(String(error)));
  }

  return {
    call,
    async subscribe(account) {
      const query = account === undefined ? '' : `?account=${encodeURIComponent(account)}`;
      events = await http.request(`${base}/api/v1/events${query}`, {
        headers: { accept: 'text/event-stream', 'accept-encoding': 'identity' },
        signal: AbortSignal.any([signal, over.signal]),
      });
      if (events.status !== 200) {
        events.body.destroy();
        throw statusError(events.status);
      }
      void follow(events).catch(end);
    },
    hold(isHeld) {
      held?.resolve();
      held = isHeld ? Promise.withResolvers() : undefined;
    },
    ended: ended.promise,
    async close() {
      const wasOpen = !isOver;
      end(new Error('the connection was closed'));
      // signal-cli notices the end of the events late; it is more likely to have noticed it after a round trip.
      if (wasOpen) await call('version', {}, { timeoutMs: SIGN_OFF_MS }).catch(() => {});
      over.abort();
      http.close();
    },
  };
}

/** signal-cli itself, or a proxy in front of it, fails with 5xx. */
function statusError(status: number): Error {
  if (status >= 500 && status !== 501)
    return new AppError('NETWORK_ERROR', `signal-cli answers with status ${status}.`);
  return new WrongServer('signal-cli', 'other protocol');
}

function reasonOf(error: unknown): Error {
  const cause = error instanceof Error ? error : new Error(String(error));
  const { code = '' } = cause as NodeJS.ErrnoException;
  return NEVER_ARRIVED.has(code) ? new NotReached('signal-cli is not reached.', { cause }) : cause;
}
