import type { ImportHow, ImportReport, ImportRequest } from '../../domain/archive.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import { type ImportItem, SKIP_REASONS, type SkipReason } from './importer.ts';
import { openArchive } from './open-archive.ts';
import { importerOf } from './registry.ts';

/** Events per transaction: one transaction per event would take a hundred times as long. */
const BATCH = 500;
const MAX_EXAMPLES = 3;

/** Stores events in one transaction. */
type RecordEvents = (events: readonly InboundEvent[]) => Promise<Counts>;

type Counts = Pick<ImportReport, 'added' | 'changed' | 'known'>;

/** Reads an export into the store in batches. */
export async function importArchive(
  record: RecordEvents,
  { format, path, timeZone, maxUnpackedBytes, ...options }: Omit<ImportRequest, 'source'>,
  { signal, progress, begin }: ImportHow,
): Promise<ImportReport> {
  const importer = await importerOf(format);
  const archive = await openArchive(path, maxUnpackedBytes === undefined ? {} : { unpackedBytes: maxUnpackedBytes });
  const tally = createTally();
  let batch: InboundEvent[] = [];
  let hasBegun = false;

  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    if (!hasBegun) await begin();
    hasBegun = true;
    tally.addRecorded(await recordInTwo(record, batch));
    batch = [];
    signal.throwIfAborted();
  }

  try {
    for await (const item of importer.read({ archive, signal, timeZone, options })) {
      if (item.kind === 'progress') progress(item.done, item.total);
      else tally.add(item);
      if (item.kind === 'event') batch.push(item.event);
      if (batch.length >= BATCH) await flush();
    }
    await flush();
    return tally.report();
  } finally {
    await archive.close();
  }
}

/**
 * Messages first, then changes: a new message with reactions counts as added, not also as changed. If the second part
 * is lost in a power loss, importing again adds it.
 */
async function recordInTwo(record: RecordEvents, events: readonly InboundEvent[]): Promise<Counts> {
  const isSaid = ({ kind }: InboundEvent) => kind === 'message' || kind === 'chat';
  const said = events.filter(isSaid);
  const later = events.filter((event) => !isSaid(event));
  const counts = await record(said);
  if (later.length === 0) return counts;
  const { changed } = await record(later);
  if (counts.added > 0) return counts;
  return { ...counts, changed: counts.changed + changed, known: Math.max(0, counts.known - changed) };
}

const ASSUMED = { time_zone: 'timeZone', date_order: 'dateOrder', clock: 'clock' } as const;

function createTally() {
  const counts = { added: 0, changed: 0, known: 0 };
  const chats = new Set<string>();
  const skipped = new Map<SkipReason, { count: number; examples: string[] }>();
  const assumed: ImportReport['assumed'] = {};

  function skip(why: SkipReason, where: string): void {
    const { count, examples } = skipped.get(why) ?? { count: 0, examples: [] };
    skipped.set(why, { count: count + 1, examples: count < MAX_EXAMPLES ? [...examples, where] : examples });
  }

  return {
    add(item: ImportItem): void {
      if (item.kind === 'skipped') skip(item.why, item.where);
      else if (item.kind === 'assumed') assumed[ASSUMED[item.what]] = item.value;
      else if (item.kind === 'event') chats.add(chatOf(item.event));
    },
    addRecorded({ added, changed, known }: Counts): void {
      counts.added += added;
      counts.changed += changed;
      counts.known += known;
    },
    report: (): ImportReport => ({
      ...counts,
      chats: chats.size,
      skipped: [...skipped].map(([why, { count, examples }]) => ({ reason: SKIP_REASONS[why], count, examples })),
      assumed,
    }),
  };
}

function chatOf(event: InboundEvent): string {
  if (event.kind === 'message') return event.message.chat.id;
  return event.kind === 'chat' ? event.chat.id : event.chat;
}
