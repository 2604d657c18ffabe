import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Writes one JSON message per line. What is written within one turn of the event loop goes out together: under load a
 * system call per message is what costs most.
 */
export function createLineWriter(output: Writable, onLost: (err: Error) => void) {
  let pending = '';
  let scheduled = false;
  let ready: Promise<void> | undefined;
  let lost = false;

  output.on('error', (err) => {
    lost = true;
    onLost(err);
  });

  function flush(): void {
    scheduled = false;
    const text = pending;
    pending = '';
    if (lost || text === '' || output.write(text)) return;
    ready = once(output, 'drain').then(
      () => {
        ready = undefined;
      },
      () => {},
    );
  }

  return {
    /** Resolves when the client has kept up: at once, or after it has read what is waiting. */
    async write(message: unknown): Promise<void> {
      pending += `${JSON.stringify(message)}\n`;
      if (!scheduled) {
        scheduled = true;
        setImmediate(flush);
      }
      if (ready) await ready;
    },
    async flushed(): Promise<void> {
      flush();
      if (lost) return;
      await new Promise<void>((resolve) => output.write('', () => resolve()));
    },
  };
}
