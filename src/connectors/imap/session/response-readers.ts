import type { ImapFlow } from 'imapflow';

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
}

/** What imapflow calls for every answer of the server. Not part of its interface. */
interface Internals {
  handleResponse?(response: ServerResponse): Promise<boolean>;
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
  return {
    async during(read, work) {
      readers.add(read);
      try {
        return await work();
      } finally {
        readers.delete(read);
      }
    },
  };
}
