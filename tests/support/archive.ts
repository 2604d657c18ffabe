import type { Importer, ImportItem, ImportOptions, SkipReason } from '../../src/connectors/archive/importer.ts';
import type { Archive } from '../../src/connectors/archive/open-archive.ts';
import type { InboundEvent, InboundMessage } from '../../src/domain/chat.ts';

/** An export in memory. Its files arrive in small pieces, so that every boundary is somewhere cut. */
export function archiveOf(
  files: Readonly<Record<string, string | Buffer>>,
  { path = '/exports/archive', chunk = 1_000 }: { path?: string; chunk?: number } = {},
): Archive {
  const entries = Object.entries(files).map(([name, content]) => {
    const bytes = Buffer.from(content);
    return {
      name,
      size: bytes.length,
      async *read() {
        for (let start = 0; start < bytes.length; start += chunk) yield bytes.subarray(start, start + chunk);
      },
    };
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { path, kind: entries.length === 1 ? 'file' : 'folder', entries, close: async () => {} };
}

export interface Imported {
  events: InboundEvent[];
  messages: InboundMessage[];
  skipped: { why: SkipReason; where: string }[];
  progress: { done: number; total: number }[];
  items: ImportItem[];
}

/** Everything an importer finds. */
export async function readAll(
  importer: Importer,
  archive: Archive,
  { timeZone = 'UTC', ...options }: ImportOptions & { timeZone?: string } = {},
): Promise<Imported> {
  const items: ImportItem[] = [];
  const { signal } = new AbortController();
  for await (const item of importer.read({ archive, signal, timeZone, options })) items.push(item);
  const events = items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
  return {
    items,
    events,
    messages: events.flatMap((event) => (event.kind === 'message' ? [event.message] : [])),
    skipped: items.flatMap((item) => (item.kind === 'skipped' ? [{ why: item.why, where: item.where }] : [])),
    progress: items.flatMap((item) => (item.kind === 'progress' ? [{ done: item.done, total: item.total }] : [])),
  };
}
