import { type IStorageDriver, type ITelegramStorageProvider, MemoryStorage } from '@mtcute/core';
import type { Host, Memory } from '../connector.ts';

/** Where the library keeps how far it has received updates: `updates_pts`, `updates_channel:1`, and so on. */
const STATE = /^updates_/;
const CHANNEL = 'updates_channel:';
const COMMON = ['updates_pts', 'updates_qts', 'updates_date', 'updates_seq'];

/**
 * The library's storage, in memory, except how far updates were received. That is stored in `memory`, and only after all
 * events that were accepted before are durable: what was not stored is received again by the next connection.
 */
export function createUpdateState({ memory }: Pick<Host, 'memory'>) {
  const memoryStorage = new MemoryStorage();
  const driver: IStorageDriver = memoryStorage.driver;
  const storage: ITelegramStorageProvider = memoryStorage;
  const changed = new Map<string, Uint8Array>();
  let accepted: Promise<unknown> = Promise.resolve();
  let writing: Promise<unknown> = Promise.resolve();
  let account = '';
  let isClosed = false;
  const keep = memoryStorage.kv.set.bind(memoryStorage.kv);

  memoryStorage.kv.set = (key, value) => {
    keep(key, value);
    if (STATE.test(key)) changed.set(key, value);
  };
  driver.save = () => {
    if (isClosed || changed.size === 0) return;
    const entries = [...changed];
    changed.clear();
    const durable = accepted;
    writing = writing.then(async () => {
      await durable;
      for (const [key, value] of entries) if (!isClosed) await memory.set(keyOf(account, key), hexOf(value));
    });
    // The engine ends the connection when an event could not be stored.
    writing.catch(() => {});
  };

  return {
    storage,
    /** Loads the state of this account; whether there was one. */
    async load(user: string): Promise<boolean> {
      account = user;
      const values = await Promise.all(COMMON.map((key) => stored(memory, keyOf(account, key))));
      if (values.some((value) => value === undefined)) return false;
      for (const [index, value] of values.entries()) if (value) keep(COMMON[index] ?? '', value);
      return true;
    },
    /** How far updates of a channel were received; undefined if never. */
    async channel(id: number): Promise<number | undefined> {
      const value = await stored(memory, keyOf(account, `${CHANNEL}${id}`));
      if (!value) return undefined;
      keep(`${CHANNEL}${id}`, value);
      return Buffer.from(value).readUInt32LE();
    },
    setChannel(id: number, pts: number): void {
      const value = Buffer.alloc(4);
      value.writeUInt32LE(pts);
      memoryStorage.kv.set(`${CHANNEL}${id}`, value);
    },
    /** Later states are stored only after this. */
    accepting(work: Promise<unknown>): void {
      accepted = Promise.all([accepted, work]);
      accepted.catch(() => {});
    },
    /** Resolves when all accepted events are durable. */
    durable: () => accepted,
    /** Stores no more. Resolves when what was begun is stored. */
    async close(): Promise<void> {
      await writing.catch(() => {});
      isClosed = true;
    },
  };
}

export type UpdateState = ReturnType<typeof createUpdateState>;

function keyOf(account: string, key: string): string {
  return `${account} ${key}`;
}

async function stored(memory: Memory, key: string): Promise<Uint8Array | undefined> {
  const value = await memory.get(key);
  return value === undefined || !/^[0-9a-f]{8}$/.test(value) ? undefined : Buffer.from(value, 'hex');
}

function hexOf(value: Uint8Array): string {
  return Buffer.from(value).toString('hex');
}
