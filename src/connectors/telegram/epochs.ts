import { randomBytes } from 'node:crypto';
import type { Memory } from '../connector.ts';
import { channelOf } from './names.ts';

/**
 * An epoch is a time in which all updates of a box (a channel, or all other chats) were received without a gap. A cursor
 * names the epoch that it was made in: in the same one, nothing is missing after it, and nothing need be asked for.
 */
export function createEpochs(memory: Memory, user: string) {
  const epochs = new Map<string, string>();
  const keyOf = (box: string) => `${user} epoch ${box}`;

  async function renew(box: string): Promise<void> {
    const epoch = randomBytes(6).toString('hex');
    epochs.set(box, epoch);
    await memory.set(keyOf(box), epoch);
  }

  return {
    /** Begins a new one. It is effective immediately, and durable when this resolves. */
    renew,
    /** Continues the stored one; begins a new one if there is none. */
    async resume(box: string): Promise<void> {
      const stored = await memory.get(keyOf(box));
      if (stored) epochs.set(box, stored);
      else await renew(box);
    },
    isKnown: (box: string) => epochs.has(box),
    of: (box: string) => epochs.get(box) ?? '',
  };
}

export type Epochs = ReturnType<typeof createEpochs>;

export const COMMON = 'common';

/** Which box the messages of a chat are in. */
export function boxOf(chat: string): string {
  return String(channelOf(chat) ?? COMMON);
}

export interface Cursor {
  message: number;
  /** Empty if messages after it may be missing. */
  epoch: string;
}

export function cursorOf({ message, epoch }: Cursor): string {
  return `${message}@${epoch}`;
}

/** Undefined for a cursor that is not ours. */
export function readCursor(text: string): Cursor | undefined {
  const [, message, epoch = ''] = /^(\d{1,10})@([0-9a-f]*)$/.exec(text) ?? [];
  return message === undefined ? undefined : { message: Number(message), epoch };
}
