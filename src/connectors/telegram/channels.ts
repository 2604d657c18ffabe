import type { BaseTelegramClient } from '@mtcute/core/client.js';
import type { Memory } from '../connector.ts';
import type { Epochs } from './epochs.ts';
import type { UpdateState } from './update-state.ts';

interface ChannelParts {
  api: BaseTelegramClient;
  state: UpdateState;
  epochs: Epochs;
  memory: Memory;
  self: string;
}

const MAX_CHANNELS = 5_000;

/** How far updates of supergroups and channels were received: each has its own count. */
export function createChannels({ api, state, epochs, memory, self }: ChannelParts) {
  const key = `${self} channels`;
  const known = new Set<number>();

  /** Without a stored count, all after now arrives as updates, and all before is history. */
  async function begin(id: number, pts: number): Promise<void> {
    known.add(id);
    await epochs.renew(String(id));
    api.updates?.cpts.set(id, pts);
    state.setChannel(id, pts);
  }

  async function resume(id: number): Promise<number | undefined> {
    const pts = await state.channel(id);
    if (pts === undefined) return undefined;
    await epochs.resume(String(id));
    known.add(id);
    api.updates?.cpts.set(id, pts);
    return pts;
  }

  return {
    /** The counts of the last connection, before updates are received. */
    async load(): Promise<void> {
      const ids = idsIn(await memory.get(key));
      await Promise.all(ids.map(resume));
    },
    /** Learns the present counts of channels; returns those that have had more updates than were received. */
    async add(channels: readonly { id: number; pts: number }[]): Promise<number[]> {
      const behind: number[] = [];
      for (const { id, pts } of channels) {
        const received = api.updates?.cpts.get(id);
        if (!known.has(id) && received === undefined) await begin(id, pts);
        else if (received !== undefined && received < pts) behind.push(id);
        if (!epochs.isKnown(String(id))) await epochs.resume(String(id));
      }
      return behind;
    },
    /** Fetches the updates of a channel that were missed. */
    async refresh(id: number): Promise<void> {
      await api.notifyChannelOpened(id);
      await api.notifyChannelClosed(id);
    },
    async store(): Promise<void> {
      const ids = [...new Set([...known, ...(api.updates?.cpts.keys() ?? [])])];
      await memory.set(key, JSON.stringify(ids.slice(0, MAX_CHANNELS)));
    },
  };
}

function idsIn(text: string | undefined): number[] {
  const ids: unknown = text === undefined ? [] : JSON.parse(text);
  return Array.isArray(ids) ? ids.filter((id) => Number.isSafeInteger(id)).slice(0, MAX_CHANNELS) : [];
}
