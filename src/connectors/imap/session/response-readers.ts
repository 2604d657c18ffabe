import type { ImapFlow } from 'imapflow';
import { type AnswerStream, createLineFilter, type LineReader } from './line-filter.ts';

/** An answer of the server, with the contents of strings apart. */
export interface ServerResponse {
  payload: Buffer;
  literals: readonly Buffer[];
}

/** Returns whether it has read the answer, which imapflow then does not see. */
type ResponseReader = (response: ServerResponse) => boolean | Promise<boolean>;

/** Reads answers before imapflow, which parses, formats for a log, and parses again: that takes longer than everything else. */
export interface ResponseReaders {
  /** `read` sees the answers that arrive while `work` is running. */
  during<T>(read: ResponseReader, work: () => Promise<T>): Promise<T>;
  /** The same for answers of one line, of which a server may send thousands: they are not even handed over one by one. */
  linesDuring<T>(read: LineReader, work: () => Promise<T>): Promise<T>;
}

/** What imapflow does with what the server sends. Not part of its interface. */
interface Internals {
  handleResponse?(response: ServerResponse): Promise<boolean>;
  streamer?: AnswerStream;
}

export function createResponseReaders(client: ImapFlow): ResponseReaders {
  const readers = new Set<ResponseReader>();
  const internals = client as unknown as Internals;
  const usual = internals.handleResponse?.bind(client);
  if (usual) {
    internals.handleResponse = async (response) => {
      for (const read of readers) if (await read(response)) return true;
      return usual(response);
    };
  }
  const lines = internals.streamer && createLineFilter(internals.streamer);

  async function during<T>(read: ResponseReader, work: () => Promise<T>): Promise<T> {
    readers.add(read);
    try {
      return await work();
    } finally {
      readers.delete(read);
    }
  }

  return {
    during,
    async linesDuring(read, work) {
      const stop = lines?.add(read);
      try {
        // A line whose parts arrived one after the other is seen as an answer.
        return await during(({ payload, literals }) => literals.length === 0 && read(payload), work);
      } finally {
        stop?.();
      }
    },
  };
}
