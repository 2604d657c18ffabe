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
  let waiting: Settle[] = [];
  let scheduled = false;
  /** Set while the client has not read what is waiting. */
  let ready: PromiseWithResolvers<void> | undefined;
  let lost = output.destroyed;

  output.on('error', lose).on('close', lose).on('drain', goOn);

  function lose(err?: Error): void {
    if (!lost) onLost(err);
    lost = true;
    goOn();
  }

  function goOn(): void {
    ready?.resolve();
    ready = undefined;
  }

  function flush(): void {
    scheduled = false;
    const text = pending;
    pending = '';
    if (waiting.length > 0) return flushAndTell(text);
    if (lost || text === '' || output.write(text)) return;
    ready ??= Promise.withResolvers<void>();
  }

  function flushAndTell(text: string): void {
    const told = waiting;
    waiting = [];
    const tell = (delivered: boolean) => {
      for (const settle of told) settle(delivered);
    };
    if (lost) return tell(false);
    if (!output.write(text, (err) => tell(!err))) ready ??= Promise.withResolvers<void>();
  }

  function add(text: string): void {
    pending += text;
    if (scheduled) return;
    scheduled = true;
    process.nextTick(flush);
  }

  return {
    /** Resolves when the client has kept up: at once, or after it has read what is waiting. */
    async write(message: unknown, settle?: Settle): Promise<void> {
      add(`${jsonLine(JSON.stringify(message))}\n`);
      if (settle) waiting.push(settle);
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
