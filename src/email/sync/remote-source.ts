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
  postMessage(message: unknown): void;
}

/** Batches on their way. */
const MAX_AHEAD = 4;

/** Answers the requests of another thread. */
export function serveSource(port: MessagePort, source: MailSource): void {
  const stored = new Map<number, () => void>();

  async function fetch(number: number, [path, range]: unknown[]): Promise<void> {
    let ahead = 0;
    let room = Promise.withResolvers<void>();
    stored.set(number, () => {
      ahead -= 1;
      room.resolve();
    });
    await source.fetch(path as string, range as never, async (batch) => {
      while (ahead >= MAX_AHEAD) {
        room = Promise.withResolvers<void>();
        await room.promise;
      }
      ahead += 1;
      port.postMessage({ number, batch } satisfies Answer);
    });
    stored.delete(number);
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

  port.on('message', (message: Request | { stored: number }) => {
    if ('stored' in message) stored.get(message.stored)?.();
    else void answer(message);
  });
}

/** The source that another thread serves. */
export function remoteSource(port: ThreadPort): MailSource & { fail(error: Error): void } {
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

  /** Batches are stored in their order; a failure ends the call. */
  let storing: Promise<void> = Promise.resolve();
  function store(number: number, batch: readonly FetchedMail[]): void {
    storing = storing.then(async () => {
      try {
        await calls.get(number)?.take?.(batch);
        port.postMessage({ stored: number });
      } catch (error) {
        settle(number, (done) => done.reject(error));
      }
    });
  }

  port.on('message', (answer: Answer) => {
    const { number } = answer;
    if ('batch' in answer) store(number, answer.batch);
    else if ('failure' in answer) settle(number, (done) => done.reject(toError(answer.failure)));
    else storing = storing.then(() => settle(number, (done) => done.resolve(answer.result)));
  });

  return {
    status: (path) => call('status', [path]),
    uids: (path) => call('uids', [path]),
    facts: (path, range) => call('facts', [path, range]),
    fetch: (path, range, take) => call('fetch', [path, range], take),
    /** The other thread is gone. */
    fail(error) {
      over ??= error;
      for (const number of calls.keys()) settle(number, (done) => done.reject(over));
    },
  };
}

type Take = (batch: readonly FetchedMail[]) => Promise<void>;

function toError({ message, kind }: Failure): Error {
  return kind === undefined ? new Error(message) : new MailError(kind, message);
}
