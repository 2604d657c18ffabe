import type { ImportHow, ImportReport, ImportRequest } from '../chat/importing.ts';
import type { MessageStore } from '../chat/ports.ts';
import { type ImportItem, SKIP_REASONS, type SkipReason } from '../connectors/archive/importer.ts';
import { openArchive } from '../connectors/archive/open-archive.ts';
import { importerOf } from '../connectors/archive/registry.ts';
import type { InboundEvent } from '../domain/chat.ts';

/** So many events are recorded together: one commit each would take a hundred times as long. */
const BATCH = 500;
const MOST_EXAMPLES = 3;

/** Reads an export into the store, a batch at a time. */
export async function importArchive(
  messages: Pick<MessageStore, 'record'>,
  { format, path, source, timeZone, ...options }: ImportRequest,
  { signal, progress, begin }: ImportHow,
): Promise<ImportReport> {
  const importer = await importerOf(format);
  const archive = await openArchive(path);
  const tally = createTally();
  let batch: InboundEvent[] = [];
  let hasBegun = false;

  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    if (!hasBegun) await begin();
    hasBegun = true;
    tally.addRecorded(await recordInTwo(messages, source, batch));
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

type Counts = Pick<ImportReport, 'added' | 'changed' | 'known'>;

/**
 * First what was said, then what became of it: a message that is new with its reactions is one that was added, not one that
 * was changed as well. Where the second part is missing because somebody pulled the plug, a repetition adds it.
 */
async function recordInTwo(
  messages: Pick<MessageStore, 'record'>,
  source: string,
  events: readonly InboundEvent[],
): Promise<Counts> {
  const isSaid = ({ kind }: InboundEvent) => kind === 'message' || kind === 'chat';
  const said = events.filter(isSaid);
  const later = events.filter((event) => !isSaid(event));
  const counts = await messages.record({ source, events: said, origin: 'import' });
  if (later.length === 0) return counts;
  const { changed } = await messages.record({ source, events: later, origin: 'import' });
  if (counts.added > 0) return counts;
  return { ...counts, changed: counts.changed + changed, known: Math.max(0, counts.known - changed) };
}

function createTally() {
  const counts = { added: 0, changed: 0, known: 0 };
  const chats = new Set<string>();
  const skipped = new Map<SkipReason, { count: number; examples: string[] }>();
  const assumed: ImportReport['assumed'] = {};

  function skip(why: SkipReason, where: string): void {
    const { count, examples } = skipped.get(why) ?? { count: 0, examples: [] };
    skipped.set(why, { count: count + 1, examples: count < MOST_EXAMPLES ? [...examples, where] : examples });
  }

  return {
    add(item: ImportItem): void {
      if (item.kind === 'skipped') skip(item.why, item.where);
      else if (item.kind === 'assumed') assumed[item.what === 'time_zone' ? 'timeZone' : 'dateOrder'] = item.value;
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
