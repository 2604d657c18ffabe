import type { Writable } from 'node:stream';
import { jsonLine } from '../lib/json-line.ts';
import type { Settle } from '../operation.ts';

/**
 * Writes one JSON message per line. What is answered in one go goes out together: under load a system call per message
 * is what costs most.
 */
export function createLineWriter(output: Writable, onLost: (err?: Error) => void) {
  let pending = '';
  /** Those who want to know whether what is pending has left. */
  let unsettled: Settle[] = [];
  let scheduled = false;
  /** Set while the client has not read what is unsettled. */
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
    /** Resolves when the client has kept up: at once, or after it has read what is unsettled. */
    async write(message: unknown, settle?: Settle): Promise<void> {
      add(`${jsonLine(JSON.stringify(message))}\n`);
      if (settle) unsettled.push(settle);
      await ready?.promise;
    },
    /** A line that is no message; it goes out with what was written just before, or after it. */
    add,
    /** How much the client has not read yet. */
    unread: () => output.writableLength + pending.length,
    /** Resolves when it has read that. */
    caughtUp: async () => ready?.promise,
    async flushed(): Promise<void> {
      flush();
      if (lost) return;
      await new Promise<void>((resolve) => output.write('', () => resolve()));
    },
  };
}
