import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, CursorLost, HistoryPage, HistoryRequest } from '../../connectors/connector.ts';
import type { Log } from '../../lib/log.ts';

const RETRY_MS = [2_000, 10_000, 60_000];
const NOTHING: HistoryPage = { kind: 'page', events: [], end: true };

interface ReaderParts {
  connection: Connection;
  signal: AbortSignal;
  log: Log;
  /** Waits after a page that could not be fetched. */
  retryMs?: readonly number[] | undefined;
}

type Request = Omit<HistoryRequest, 'signal'>;

/** Requests pages of a connection's history, one at a time: networks answer in order, and many count requests. */
export function createHistoryReader({ connection, signal, log, retryMs = RETRY_MS }: ReaderParts) {
  let last: Promise<unknown> = Promise.resolve();

  function requestInTurn(request: Request): Promise<HistoryPage | CursorLost> {
    const answer = last.then(async () => {
      signal.throwIfAborted();
      const page = connection.history?.({ ...request, signal }) ?? Promise.resolve(NOTHING);
      // A closed connection need not answer, and the next one must not wait for it.
      return unlessAborted(page, signal);
    });
    last = answer.catch(() => {});
    return answer;
  }

  return async (request: Request): Promise<HistoryPage | CursorLost> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await requestInTurn(request);
      } catch (error) {
        const wait = retryMs[attempt];
        if (signal.aborted || wait === undefined) throw error;
        log.info({ err: error, timeline: request.timeline }, 'a page of history was not fetched; it is retried later');
        await sleep(wait, undefined, { signal });
      }
    }
  };
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
