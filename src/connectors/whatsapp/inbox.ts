import type { BinaryNode } from 'baileys';

interface InboxParts<Message> {
  /** Decrypts; undefined if the library has to deal with it. */
  open(node: BinaryNode): Promise<Message | undefined>;
  /** Stores what the messages contain, and the keys that they changed. */
  store(messages: readonly Message[]): Promise<void>;
  /** Passes the message on to the library, which acknowledges it. */
  release(node: BinaryNode): void;
  /** Messages could not be stored. They are not acknowledged, so the server delivers them to the next connection. */
  onFailure(error: unknown): void;
}

const MAX_BATCH = 100;

/**
 * Messages between the socket and the library. The library acknowledges a message before it reports it, and the server
 * then forgets it; so messages are stored here first, many at once when many arrive together.
 */
export function createInbox<Message>({ open, store, release, onFailure }: InboxParts<Message>) {
  const queue: BinaryNode[] = [];
  let isWorking = false;
  let isClosed = false;

  async function work(): Promise<void> {
    isWorking = true;
    try {
      while (queue.length > 0 && !isClosed) {
        const batch = queue.slice(0, MAX_BATCH);
        const messages: Message[] = [];
        for (const node of batch) {
          const message = await open(node);
          if (message !== undefined) messages.push(message);
        }
        await store(messages);
        queue.splice(0, batch.length);
        if (isClosed) return;
        for (const node of batch) release(node);
      }
    } catch (error) {
      isClosed = true;
      onFailure(error);
    } finally {
      isWorking = false;
    }
  }

  return {
    add(node: BinaryNode): void {
      if (isClosed) return;
      queue.push(node);
      if (!isWorking) void work();
    },
    close(): void {
      isClosed = true;
    },
  };
}
