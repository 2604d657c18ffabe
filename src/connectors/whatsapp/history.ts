import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import type { proto } from 'baileys';
import type { InboundEvent } from '../../domain/chat.ts';
import type { Log } from '../../lib/log.ts';
import { nameOf } from './auth-state.ts';
import type { Library } from './library.ts';
import { loadFile } from './media.ts';
import type { SealedEntries } from './sealed-entries.ts';
import type { WhatsappSettings } from './settings.ts';

export type HistoryChunk = ReturnType<Library['processHistoryMessage']>;

interface HistoryParts {
  library: Library;
  settings: WhatsappSettings;
  entries: SealedEntries;
  log: Log;
  signal: AbortSignal;
  /** Learns names and addresses; returns the events of a part of the history, oldest first. */
  convert(chunk: HistoryChunk): Promise<InboundEvent[]>;
  store(events: readonly InboundEvent[]): Promise<void>;
}

const PENDING = 'history';
const SLICE = 500;
const LARGEST_FILE = 128 * 1024 * 1024;
const LARGEST_CHUNK = 512 * 1024 * 1024;
const RETRY_MS = [1_000, 5_000, 30_000, 120_000];
/** A phone that sends nothing for so long has ended, whatever progress it reported. */
const SILENCE_MS = 120_000;
const COMPLETE = 100;

const inflated = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate);

/**
 * History that the phone has sent, in parts. A part is kept among the encrypted entries until everything in it is stored, so that
 * the server may forget it.
 */
export function createHistory({ library, settings, entries, log, signal, convert, store }: HistoryParts) {
  const { HistorySyncNotification } = library.proto.Message;
  const waiting = entries
    .under(nameOf(PENDING, ''))
    .map(([id]) => id)
    .sort();
  let [done, missing] = [0, 0];
  let progress = 0;
  let lastAt = 0;
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (let id = waiting[0]; id !== undefined && !signal.aborted; id = waiting[0]) {
      const text = entries.get(nameOf(PENDING, id));
      if (text !== undefined) await takeInPatiently(HistorySyncNotification.decode(Buffer.from(text, 'base64')));
      if (signal.aborted) return;
      waiting.shift();
      entries.change([[nameOf(PENDING, id), undefined]]);
    }
  }

  async function takeInPatiently(notification: proto.Message.HistorySyncNotification): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      const chunk = await load(notification).catch((err: unknown) => {
        log.warn({ err, attempt }, 'a part of the history could not be loaded');
      });
      if (chunk) return takeIn(chunk);
      const delay = RETRY_MS[attempt];
      if (delay === undefined) {
        missing += 1;
        return;
      }
      await wait(delay, undefined, { signal }).catch(() => {});
    }
  }

  async function load(notification: proto.Message.IHistorySyncNotification): Promise<HistoryChunk> {
    const { initialHistBootstrapInlinePayload: inline, directPath, mediaKey } = notification;
    const compressed = inline?.length
      ? Buffer.from(inline)
      : await loadFile(
          library,
          settings,
          { kind: 'md-msg-hist', path: directPath ?? '', key: mediaKey ?? new Uint8Array() },
          { maxBytes: LARGEST_FILE, signal },
        );
    const bytes = await inflated(compressed, { maxOutputLength: LARGEST_CHUNK });
    return library.processHistoryMessage(library.proto.HistorySync.decode(bytes));
  }

  async function takeIn(chunk: HistoryChunk): Promise<void> {
    const events = await convert(chunk);
    for (let from = 0; from < events.length && !signal.aborted; from += SLICE) {
      const slice = events.slice(from, from + SLICE);
      await store(slice);
      done += slice.filter(({ kind }) => kind === 'message').length;
    }
    progress = Math.max(progress, chunk.progress ?? 0);
    lastAt = performance.now();
  }

  function start(): Promise<void> {
    working ??= work().finally(() => {
      working = undefined;
    });
    return working;
  }

  return {
    /** Durable with the next flush of the entries. */
    add(id: string, notification: proto.Message.IHistorySyncNotification): void {
      const name = `${String(Date.now()).padStart(15, '0')}-${id}`;
      const bytes = HistorySyncNotification.encode(HistorySyncNotification.create(notification)).finish();
      entries.change([[nameOf(PENDING, name), Buffer.from(bytes).toString('base64')]]);
      waiting.push(name);
      lastAt = performance.now();
    },
    /** Takes in what waits. Fails if it could not be stored. */
    start,
    /** How many parts could not be loaded; the phone sends them only once. */
    missing: () => missing,
    progress(): { done: number; total?: number } | undefined {
      const isGoingOn =
        waiting.length > 0 || (lastAt > 0 && progress < COMPLETE && performance.now() - lastAt < SILENCE_MS);
      if (!isGoingOn) return undefined;
      return { done, ...(progress > 0 ? { total: Math.round((done * COMPLETE) / progress) } : {}) };
    },
  };
}
