import type { InboundEvent } from '../../domain/chat.ts';
import type { Host, Position } from '../connector.ts';

interface Waiting {
  event: InboundEvent;
  position: Position | undefined;
}

/** Above this the server is asked to wait for us. */
const FULL = 2_000;
/** Stored at once, at most. */
const AT_ONCE = 500;

/** What has happened waits here until it is stored, in its order, many at a time when much happens at once. */
export function createStoreQueue(host: Pick<Host, 'accept'>, hold: (isHeld: boolean) => void) {
  const waiting: Waiting[] = [];
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let storing: Promise<void> | undefined;
  let isHeld = false;

  function put(event: InboundEvent, position?: Position): void {
    waiting.push({ event, position });
    if (waiting.length > FULL && !isHeld) {
      isHeld = true;
      hold(true);
    }
    storing ??= storeAll().finally(() => {
      storing = undefined;
    });
  }

  async function storeAll(): Promise<void> {
    try {
      // What comes in one go of the socket is stored in one.
      await Promise.resolve();
      while (waiting.length > 0) await storeSome();
      if (isHeld) hold(false);
      isHeld = false;
    } catch (error) {
      failed.reject(error);
    }
  }

  /** A run of events of one timeline, because a place is given for one. */
  async function storeSome(): Promise<void> {
    const timeline = waiting[0]?.position?.timeline;
    let count = 1;
    while (count < Math.min(waiting.length, AT_ONCE) && waiting[count]?.position?.timeline === timeline) count++;
    const run = waiting.slice(0, count);
    await host.accept(
      run.map(({ event }) => event),
      run.at(-1)?.position,
    );
    waiting.splice(0, count);
  }

  return {
    put,
    /** Rejects when something could not be stored. */
    failed: failed.promise,
    /** Resolves when all that has come is stored, or cannot be. */
    settled: async () => void (await storing),
  };
}
