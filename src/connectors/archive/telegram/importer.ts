import { createJsonScanner } from '../../../lib/json-scanner.ts';
import { type Importer, type ImportInput, type ImportItem, MAX_MESSAGE, whereIn } from '../importer.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import { wrongFormat } from '../recognise.ts';
import { createExportReader, EXPORT_PLAN } from './export-reader.ts';
import { htmlPagesIn, readPages } from './html-pages.ts';

/** The export of Telegram Desktop, as JSON or HTML: one chat or a whole account. */
export const telegram: Importer = {
  format: 'telegram',
  async *read(input) {
    const entries = exportsIn(input.archive);
    const pages = entries.length === 0 ? htmlPagesIn(input.archive) : new Map();
    if (entries.length === 0 && pages.size === 0) throw await wrongFormat(input.archive, 'telegram');
    if (pages.size > 0) {
      yield* readPages(pages, input);
      return;
    }
    const meter = createMeter(entries.reduce((sum, { size }) => sum + size, 0));
    let done = 0;
    for (const entry of entries) {
      yield* readExport(entry, input, (position) => meter(done + position));
      done += entry.size;
    }
  },
};

type Tell = (position: number) => readonly ImportItem[];

async function* readExport(entry: ArchiveEntry, input: ImportInput, progress: Tell): AsyncIterable<ImportItem> {
  const cutter = createJsonScanner(EXPORT_PLAN, MAX_MESSAGE);
  const reader = createExportReader(entry.name, input);
  let position = 0;
  for await (const chunk of entry.read()) {
    input.signal.throwIfAborted();
    for (const piece of cutter.push(chunk)) for (const item of reader.accept(piece)) yield item;
    position += chunk.length;
    yield* progress(position);
  }
  if (!reader.isExport) throw await wrongFormat(input.archive, 'telegram');
  if (!cutter.isComplete()) yield { kind: 'skipped', why: 'cut_off', where: whereIn(entry.name) };
}

/** Empty if there is none, or if it cannot be told which file it is. */
function exportsIn({ kind, entries }: ArchiveReader): readonly ArchiveEntry[] {
  const named = entries.filter(({ name }) => /(^|\/)result\.json$/.test(name));
  if (named.length > 0) return named;
  const others = entries.filter(({ name }) => (kind === 'file' ? !/\.html?$/i.test(name) : /\.json$/i.test(name)));
  return others.length === 1 ? others : [];
}
