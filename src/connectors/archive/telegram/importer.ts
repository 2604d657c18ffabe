import { AppError } from '../../../domain/errors.ts';
import { createJsonScanner } from '../../../lib/json-scanner.ts';
import { type Importer, type ImportInput, type ImportItem, MAX_MESSAGE, whereIn } from '../importer.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import { wrongFormat } from '../recognise.ts';
import { createExportReader, EXPORT_PLAN } from './export-reader.ts';

/** The JSON export of Telegram Desktop: one chat or a whole account. */
export const telegram: Importer = {
  format: 'telegram',
  async *read(input) {
    const entries = await exportsIn(input.archive);
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

async function exportsIn(archive: ArchiveReader): Promise<readonly ArchiveEntry[]> {
  const { kind, entries } = archive;
  const named = entries.filter(({ name }) => /(^|\/)result\.json$/.test(name));
  if (named.length > 0) return named;
  if (entries.some(({ name }) => /\.html?$/i.test(name))) throw isHtml(archive);
  const others = kind === 'file' ? entries : entries.filter(({ name }) => /\.json$/i.test(name));
  if (others.length !== 1) throw await wrongFormat(archive, 'telegram');
  return others;
}

function isHtml({ path }: ArchiveReader): AppError {
  return new AppError('INVALID_PARAMETER', `${path} is an export as HTML, which does not hold everything.`, {
    field: 'path',
    hint: 'In Telegram Desktop choose "Machine-readable JSON" as the format and export again; then give result.json.',
  });
}
