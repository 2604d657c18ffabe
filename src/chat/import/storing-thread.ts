import { once } from 'node:events';
import type { MessagePort, Worker } from 'node:worker_threads';
import type { StoreAddress } from '../../capability.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import type { IndexedText } from '../../domain/indexed-text.ts';
import type { ArchiveStore, RecordedArchive } from '../ports.ts';
import { endedEarly, failureOf, type ImportFailure, toAppError } from './failures.ts';

/**
 * An import runs in two threads: one reads the export and splits texts into words, the other one stores them. Batches are sent
 * before the earlier ones are stored.
 */

/** What the storing thread gets; it opens the store by itself. */
export interface StoringAssignment extends StoreAddress {
  source: string;
}

type Request =
  | { kind: 'record'; events: readonly InboundEvent[]; texts?: readonly IndexedText[] }
  | { kind: 'finish' }
  | { kind: 'end' };

/** Requests are answered in their order. */
type Answer = { recorded?: RecordedArchive } | { failure: ImportFailure };

/** Performs the requests of the reading thread until it ends them. After a failure, also to open the store, nothing more is stored. */
export async function storeForReader(port: MessagePort, source: string, opening: Promise<ArchiveStore>): Promise<void> {
  // It is reported with the first request.
  opening.catch(() => {});
  const ended = Promise.withResolvers<void>();
  let failure: ImportFailure | undefined;

  async function answer(request: Request): Promise<Answer> {
    if (failure) return { failure };
    try {
      const archives = await opening;
      if (request.kind === 'record') return { recorded: await archives.record(source, request.events, request.texts) };
      await archives.finish();
      return {};
    } catch (error) {
      failure = failureOf(error);
      return { failure };
    }
  }

  let working: Promise<void> = Promise.resolve();
  port.on('message', (request: Request) => {
    working = working.then(async () => {
      if (request.kind === 'end') ended.resolve();
      else port.postMessage(await answer(request));
    });
    working.catch(ended.reject);
  });
  await ended.promise;
}

/** The storing thread, for the reading one. */
export interface StoringThread extends Pick<ArchiveStore, 'finish'> {
  /** May be called again before the earlier events are stored. */
  record(events: readonly InboundEvent[]): Promise<RecordedArchive>;
  /** Resolves when the store is closed. */
  end(): Promise<void>;
}

export function storingThread(
  worker: Worker,
  split: (events: readonly InboundEvent[]) => { texts: readonly IndexedText[]; memory: readonly ArrayBuffer[] },
): StoringThread {
  const waiting: PromiseWithResolvers<RecordedArchive | undefined>[] = [];
  let over: Error | undefined;
  /** Messages that are stored already are not split into words: an export that is imported again consists of them. */
  let areNew = true;

  function request(message: Request, memory: readonly ArrayBuffer[] = []): Promise<RecordedArchive | undefined> {
    if (over) return Promise.reject(over);
    const answered = Promise.withResolvers<RecordedArchive | undefined>();
    waiting.push(answered);
    worker.postMessage(message, memory);
    return answered.promise;
  }

  function fail(error: Error): void {
    over ??= error;
    for (const { reject } of waiting.splice(0)) reject(over);
  }

  worker.on('message', (answer: Answer) => {
    const first = waiting.shift();
    if ('failure' in answer) first?.reject(toAppError(answer.failure));
    else first?.resolve(answer.recorded);
  });
  worker.on('error', fail);
  worker.on('exit', () => fail(endedEarly()));

  return {
    // Not async: that would keep the events in the memory of both threads.
    record(events) {
      const { texts, memory } = areNew ? split(events) : {};
      const { length } = events;
      const hasMessages = events.some(({ kind }) => kind === 'message');
      return request({ kind: 'record', events, ...(texts ? { texts } : {}) }, memory).then((recorded) => {
        if (!recorded) throw new Error('the storing thread gave no counts');
        if (hasMessages) areNew = recorded.known < length / 2;
        return recorded;
      });
    },
    finish: async () => void (await request({ kind: 'finish' })),
    async end() {
      if (over) return;
      const ended = once(worker, 'exit');
      worker.postMessage({ kind: 'end' } satisfies Request);
      await ended;
    },
  };
}
