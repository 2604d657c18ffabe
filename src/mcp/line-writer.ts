import type { Writable } from 'node:stream';
import { jsonLine } from '../lib/json-line.ts';
import type { Settle } from '../operation.ts';

/**
 * Writes one JSON message per line. Messages of the same tick are written together: under load, one system call per
 * message would cost most of the time.
 */
export function createLineWriter(output: Writable, onLost: (err?: Error) => void) {
  let pending = '';
  /** Settled when what is pending was sent. */
  let unsettled: Settle[] = [];
  let scheduled = false;
  /** Set while the client has unread data. */
  let ready: PromiseWithResolvers<void> | undefined;
  let lost = output.destroyed;

  output.on('error', markLost).on('close', markLost).on('drain', resume);

  function markLost(err?: Error): void {
    if (!lost) onLost(err);
    lost = true;
    resume();
  }

  function resume(): void {
    ready?.resolve();
    ready = undefined;
  }

  function flush(): void {
    scheduled = false;
    const text = pending;
    pending = '';
    if (unsettled.length > 0) return flushAndSettle(text);
    if (lost || text === '' || output.write(text)) return;
    ready ??= Promise.withResolvers<void>();
  }

  function flushAndSettle(text: string): void {
    const settles = unsettled;
    unsettled = [];
    const settleAll = (delivered: boolean) => {
      for (const settle of settles) settle(delivered);
    };
    if (lost) return settleAll(false);
    if (!output.write(text, (err) => settleAll(!err))) ready ??= Promise.withResolvers<void>();
  }

  function add(text: string): void {
    pending += text;
    if (scheduled) return;
    scheduled = true;
    process.nextTick(flush);
  }

  return {
    /** Resolves when the client has no unread data, often immediately. */
    async write(message: unknown, settle?: Settle): Promise<void> {
      add(`${jsonLine(JSON.stringify(message))}\n`);
      if (settle) unsettled.push(settle);
      await ready?.promise;
    },
    /** A line that is not a message; written together with the messages around it. */
    add,
    /** How much the client has not read yet. */
    unread: () => output.writableLength + pending.length,
    /** Resolves when it has. */
    caughtUp: async () => ready?.promise,
    async flushed(): Promise<void> {
      flush();
      if (lost) return;
      await new Promise<void>((resolve) => output.write('', () => resolve()));
    },
  };
}
