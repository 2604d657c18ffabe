import { createJsonScanner } from '../../../lib/json-scanner.ts';
import { type Importer, type ImportInput, type ImportItem, MAX_MESSAGE, whereIn } from '../importer.ts';
import { AFTER_END } from '../json-elements.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveEntry } from '../open-archive.ts';
import { wrongFormat } from '../recognise.ts';
import { exportFilesIn, isResult } from './export-files.ts';
import { createExportReader, EXPORT_PLAN } from './export-reader.ts';
import { readPages } from './html-pages.ts';

/** Exports of Telegram Desktop, as JSON or HTML: one chat or a whole account each. */
export const telegram: Importer = {
  format: 'telegram',
  async *read(input) {
    const { json, html, skipped } = exportFilesIn(input.archive);
    const sizes = [...json, ...html.flatMap(({ pages }) => pages)].map(({ size }) => size);
    const meter = createMeter(sizes.reduce((sum, size) => sum + size, 0));
    let [done, isExport] = [0, false];
    const tell: Tell = (position) => meter(done + position);
    for (const entry of json) {
      if (yield* readExport(entry, input, tell)) isExport = true;
      else yield { kind: 'skipped', why: isResult(entry) ? 'malformed' : 'not_a_chat', where: whereIn(entry.name) };
      done += entry.size;
    }
    if (yield* readPages(html, input, tell)) isExport = true;
    if (!isExport) throw await wrongFormat(input.archive, 'telegram');
    yield* skipped;
  },
};

type Tell = (position: number) => readonly ImportItem[];

/** Returns whether it is an export. */
async function* readExport(
  entry: ArchiveEntry,
  input: ImportInput,
  progress: Tell,
): AsyncGenerator<ImportItem, boolean> {
  const cutter = createJsonScanner(EXPORT_PLAN, MAX_MESSAGE);
  const reader = createExportReader(entry.name, input);
  let position = 0;
  for await (const chunk of entry.read()) {
    input.signal.throwIfAborted();
    for (const piece of cutter.push(chunk)) {
      const items = reader.accept(piece);
      // Other JSON may have something like messages too.
      if (reader.isExport) yield* items;
    }
    position += chunk.length;
    yield* progress(position);
  }
  if (reader.isExport && !cutter.isComplete()) yield { kind: 'skipped', why: 'cut_off', where: whereIn(entry.name) };
  if (reader.isExport && cutter.isFollowed())
    yield { kind: 'skipped', why: 'malformed', where: whereIn(entry.name, AFTER_END) };
  return reader.isExport;
}
