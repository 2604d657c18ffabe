import type { ImportHow, ImportReport, ImportRequest } from '../../domain/archive.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import { type ImportItem, isLoss, SKIP_REASONS, type SkipReason } from './importer.ts';
import { createNumberSet } from './number-set.ts';
import { openArchive } from './open-archive.ts';
import { importerOf } from './registry.ts';
import { tolerant } from './tolerant-archive.ts';

/** Per transaction: one transaction per event would take a hundred times as long, many events more memory. */
const MAX_EVENTS = 1000;
/** Of long messages. */
const MAX_CHARACTERS = 200_000;
const MAX_EXAMPLES = 3;
/** Of everything that could not be read. */
const MAX_PLACES = 10;

/** Batches that are being stored while the next one is read. */
const MAX_AHEAD = 1;

/** Where the events go. */
export interface ImportTarget {
  /** Stores them in one transaction, after those of earlier calls. It is called again before these are stored. */
  record(events: readonly InboundEvent[]): Promise<Counts>;
  /** Called after the last ones. */
  finish(): Promise<void>;
}

interface Counts extends Pick<ImportReport, 'added' | 'changed' | 'known'> {
  /** Numbers of the chats that the events are of. */
  chats: readonly number[];
}

const NONE: Counts = { added: 0, changed: 0, known: 0, chats: [] };

/** Reads an export into the store in batches. */
export async function importArchive(
  target: ImportTarget,
  { format, path, timeZone, maxUnpackedBytes, ...options }: Omit<ImportRequest, 'source'>,
  { signal, progress, begin }: ImportHow,
): Promise<ImportReport> {
  const importer = await importerOf(format);
  const { archive, leftOut, throwFailure } = tolerant(
    await openArchive(path, maxUnpackedBytes === undefined ? {} : { unpackedBytes: maxUnpackedBytes }),
  );
  const tally = createTally();
  let batch: InboundEvent[] = [];
  let characters = 0;
  let hasBegun = false;
  const storing: Promise<void>[] = [];

  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    if (!hasBegun) await begin();
    hasBegun = true;
    const stored = recordInTwo(target, batch).then(tally.addRecorded);
    // A failure is thrown when its turn comes.
    stored.catch(() => {});
    storing.push(stored);
    batch = [];
    characters = 0;
    while (storing.length > MAX_AHEAD) await storing.shift();
    signal.throwIfAborted();
  }

  try {
    for await (const item of importer.read({ archive, signal, timeZone, options })) {
      if (item.kind === 'progress') progress(item.done, item.total);
      else tally.add(item);
      if (item.kind !== 'event') continue;
      batch.push(item.event);
      characters += lengthOf(item.event);
      if (batch.length >= MAX_EVENTS || characters >= MAX_CHARACTERS) await flush();
    }
    await flush();
    await Promise.all(storing);
    if (!hasBegun) throwFailure();
    for (const { why, where } of leftOut()) tally.add({ kind: 'skipped', why, where });
    if (hasBegun) await target.finish();
    return tally.report();
  } catch (error) {
    if (!hasBegun && !signal.aborted) throwFailure();
    throw error;
  } finally {
    await Promise.allSettled(storing);
    await archive.close();
  }
}

/**
 * Messages first, then changes: a new message with reactions counts as added, not also as changed. If the second part
 * is lost in a power loss, importing again adds it.
 */
function recordInTwo({ record }: ImportTarget, events: readonly InboundEvent[]): Promise<Counts> {
  const isSaid = ({ kind }: InboundEvent) => kind === 'message' || kind === 'chat';
  const said = events.filter(isSaid);
  const later = events.filter((event) => !isSaid(event));
  return Promise.all([record(said), later.length === 0 ? NONE : record(later)]).then(withChanges);
}

function withChanges([said, later]: readonly [Counts, Counts]): Counts {
  const counts = { ...said, chats: [...said.chats, ...later.chats] };
  if (said.added > 0) return counts;
  return { ...counts, changed: said.changed + later.changed, known: Math.max(0, said.known - later.changed) };
}

const ASSUMED = { time_zone: 'timeZone', date_order: 'dateOrder', clock: 'clock' } as const;

function createTally() {
  const counts = { added: 0, changed: 0, known: 0 };
  const chats = createNumberSet();
  const skipped = new Map<SkipReason, { count: number; examples: string[] }>();
  const assumed: ImportReport['assumed'] = {};
  const unread = { count: 0, places: [] as string[] };

  function skip(why: SkipReason, where: string): void {
    if (isLoss(why)) {
      unread.count += 1;
      if (unread.places.length < MAX_PLACES) unread.places.push(where);
    }
    const { count, examples } = skipped.get(why) ?? { count: 0, examples: [] };
    skipped.set(why, { count: count + 1, examples: count < MAX_EXAMPLES ? [...examples, where] : examples });
  }

  return {
    add(item: ImportItem): void {
      if (item.kind === 'skipped') skip(item.why, item.where);
      else if (item.kind === 'assumed') assumed[ASSUMED[item.what]] = item.value;
    },
    addRecorded({ added, changed, known, chats: found }: Counts): void {
      counts.added += added;
      counts.changed += changed;
      counts.known += known;
      for (const chat of found) chats.add(chat);
    },
    report: (): ImportReport => ({
      ...counts,
      chats: chats.size,
      skipped: [...skipped].map(([why, { count, examples }]) => ({ reason: SKIP_REASONS[why], count, examples })),
      unread,
      assumed,
    }),
  };
}

function lengthOf(event: InboundEvent): number {
  return event.kind === 'message' ? event.message.text.length : 0;
}
