import type { Message } from './rpc-message.ts';

type Wanted = (message: Message) => boolean;

/** Received messages in order; a test waits for the first that matches and has not been taken yet. */
export function createMessageQueue() {
  const all: Message[] = [];
  const untaken: Message[] = [];
  let waiting: { wanted: Wanted; resolve(message: Message): void; reject(reason: Error): void }[] = [];
  let ended = false;

  return {
    /** Everything ever received. */
    all: all as readonly Message[],
    push(message: Message): void {
      all.push(message);
      const waiter = waiting.find(({ wanted }) => wanted(message));
      if (!waiter) return void untaken.push(message);
      waiting = waiting.filter((one) => one !== waiter);
      waiter.resolve(message);
    },
    end(): void {
      ended = true;
      for (const { reject } of waiting) reject(new Error('the stream ended before the message came'));
      waiting = [];
    },
    take(wanted: Wanted): Promise<Message> {
      const at = untaken.findIndex(wanted);
      const [found] = at === -1 ? [] : untaken.splice(at, 1);
      if (found) return Promise.resolve(found);
      if (ended) return Promise.reject(new Error('the stream ended before the message came'));
      const { promise, resolve, reject } = Promise.withResolvers<Message>();
      waiting.push({ wanted, resolve, reject });
      return promise;
    },
    answerTo(id: string | number | null): Promise<Message> {
      return this.take((message) => message.method === undefined && message.id === id);
    },
    notified(method: string): Promise<Message> {
      return this.take((message) => message.method === method);
    },
  };
}
