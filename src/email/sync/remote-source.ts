import type { MessagePort } from 'node:worker_threads';
import { type FetchedMail, MailError } from '../../connectors/mail-connector.ts';
import type { MailSource } from './bulk-job.ts';

/**
 * A source in another thread: fetching and parsing in one, storing in the other. Batches are sent before the earlier ones are
 * stored, up to a limit, so that neither thread waits for the other.
 */

type Method = 'status' | 'uids' | 'facts' | 'fetch';

interface Request {
  number: number;
  method: Method;
  args: unknown[];
}

interface Failure {
  message: string;
  kind?: MailError['kind'];
}

type Answer =
  | { number: number; batch: readonly FetchedMail[] }
  | { number: number; result: unknown }
  | { number: number; failure: Failure };

/** A worker, as far as it is needed. */
interface ThreadPort {
  on(event: 'message', listener: (answer: Answer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  postMessage(message: unknown): void;
}

export const FETCHER_ENDED = 'the thread that fetches emails ended early';

/** Batches on their way, as many as arrive while others are stored. More take more memory and save no time. */
const MAX_AHEAD = 5;

/** Answers the requests of another thread. */
export function serveSource(
  port: MessagePort,
  source: MailSource,
  transferred: (batch: readonly FetchedMail[]) => readonly ArrayBuffer[] = () => [],
): void {
  const fetching = new Map<number, { stored(): void; cancel(): void }>();

  async function fetch(number: number, [path, range]: unknown[]): Promise<void> {
    let ahead = 0;
    let isCancelled = false;
    let room = Promise.withResolvers<void>();
    fetching.set(number, {
      stored() {
        ahead -= 1;
        room.resolve();
      },
      cancel() {
        isCancelled = true;
        room.resolve();
      },
    });
    try {
      await source.fetch(path as string, range as never, async (batch) => {
        while (ahead >= MAX_AHEAD && !isCancelled) {
          room = Promise.withResolvers<void>();
          await room.promise;
        }
        if (isCancelled) throw new Error('the emails are not wanted any more');
        ahead += 1;
        port.postMessage({ number, batch } satisfies Answer, transferred(batch));
      });
    } finally {
      fetching.delete(number);
    }
  }

  async function answer({ number, method, args }: Request): Promise<void> {
    try {
      const result =
        method === 'fetch' ? await fetch(number, args) : await source[method](...(args as [string, never]));
      port.postMessage({ number, result } satisfies Answer);
    } catch (error) {
      const { message } = error as Error;
      const kind = error instanceof MailError ? { kind: error.kind } : {};
      port.postMessage({ number, failure: { message, ...kind } } satisfies Answer);
    }
  }

  port.on('message', (message: Request | { stored: number } | { cancelled: number }) => {
    if ('stored' in message) fetching.get(message.stored)?.stored();
    else if ('cancelled' in message) fetching.get(message.cancelled)?.cancel();
    else void answer(message);
  });
}

/** The source that another thread serves. */
export function remoteSource(port: ThreadPort): MailSource {
  const calls = new Map<number, { done: PromiseWithResolvers<unknown>; take?: Take }>();
  let last = 0;
  let over: Error | undefined;

  function call<T>(method: Method, args: unknown[], take?: Take): Promise<T> {
    if (over) return Promise.reject(over);
    last += 1;
    const done = Promise.withResolvers<unknown>();
    calls.set(last, { done, ...(take ? { take } : {}) });
    port.postMessage({ number: last, method, args } satisfies Request);
    return done.promise as Promise<T>;
  }

  function settle(number: number, end: (done: PromiseWithResolvers<unknown>) => void): void {
    const waiting = calls.get(number);
    calls.delete(number);
    if (waiting) end(waiting.done);
  }

  /** Batches are stored in their order, and before the call ends; a failure ends the call. */
  let storing: Promise<void> = Promise.resolve();
  function inOrder(work: () => void | Promise<void>): void {
    storing = storing.then(work);
  }

  async function store(number: number, batch: readonly FetchedMail[]): Promise<void> {
    const call = calls.get(number);
    if (!call) return;
    try {
      await call.take?.(batch);
      port.postMessage({ stored: number });
    } catch (error) {
      port.postMessage({ cancelled: number });
      settle(number, (done) => done.reject(error));
    }
  }

  port.on('message', (answer: Answer) => {
    const { number } = answer;
    inOrder(() => {
      if ('batch' in answer) return store(number, answer.batch);
      if ('failure' in answer) return settle(number, (done) => done.reject(toError(answer.failure)));
      return settle(number, (done) => done.resolve(answer.result));
    });
  });

  /** The other thread is gone. */
  function fail(error: Error): void {
    over ??= error;
    for (const number of calls.keys()) settle(number, (done) => done.reject(over));
  }
  port.on('error', fail);
  port.on('exit', () => fail(new Error(FETCHER_ENDED)));

  return {
    status: (path) => call('status', [path]),
    uids: (path) => call('uids', [path]),
    facts: (path, range) => call('facts', [path, range]),
    fetch: (path, range, take) => call('fetch', [path, range], take),
  };
}

type Take = (batch: readonly FetchedMail[]) => Promise<void>;

function toError({ message, kind }: Failure): Error {
  return kind === undefined ? new Error(message) : new MailError(kind, message);
}
