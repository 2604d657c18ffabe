import { basename, dirname } from 'node:path';
import { type ImportInput, type ImportItem, whereIn } from '../importer.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import { wrongFormat } from '../recognise.ts';
import { blocksOf } from './html-blocks.ts';
import { createHtmlReader, type HtmlReader } from './html-reader.ts';

const PAGE = /(?:^|\/)messages(\d{0,6})\.html$/i;

/** The pages of an export as HTML, by the folder of their chat and in their order. */
export function htmlPagesIn({ kind, entries, path }: ArchiveReader): ReadonlyMap<string, readonly ArchiveEntry[]> {
  if (kind === 'file') {
    const pages = entries.filter(({ name }) => /\.html?$/i.test(name));
    return new Map(pages.length > 0 ? [[basename(dirname(path)), pages]] : []);
  }
  const pages = entries.filter(({ name }) => PAGE.test(name)).sort((a, b) => numberOf(a) - numberOf(b));
  return Map.groupBy(pages, ({ name }) => basename(name.includes('/') ? dirname(name) : path));
}

type Tell = (position: number) => readonly ImportItem[];

export async function* readPages(
  chats: ReadonlyMap<string, readonly ArchiveEntry[]>,
  input: ImportInput,
): AsyncIterable<ImportItem> {
  const meter = createMeter([...chats.values()].flat().reduce((sum, { size }) => sum + size, 0));
  const names = new Map<string, string>();
  let [done, isExport] = [0, false];
  for (const [folder, pages] of chats) {
    const wanted = chats.size === 1 ? input.options.chat : undefined;
    const reader = createHtmlReader({ folder, names, wanted }, input);
    const here = new Set(pages.map(({ name }) => basename(name)));
    for (const page of pages) {
      yield* readPage(page, { reader, here }, input, (position) => meter(done + position));
      done += page.size;
    }
    yield* reader.end();
    isExport ||= reader.isExport;
  }
  if (!isExport) throw await wrongFormat(input.archive, 'telegram');
}

async function* readPage(
  page: ArchiveEntry,
  { reader, here }: { reader: HtmlReader; here: Set<string> },
  { signal }: ImportInput,
  progress: Tell,
): AsyncGenerator<ImportItem> {
  for await (const block of blocksOf(page, signal)) {
    if (block.kind === 'head') reader.head(block.html);
    else if (block.kind === 'message') yield* reader.message(block.html, page.name);
    else yield { kind: 'skipped', why: 'too_large', where: whereIn(page.name) };
    if (block.kind !== 'too_large') yield* missingPages(block.html, here);
    yield* progress(block.end);
  }
}

/** Pages that are referred to and not here: somebody gave one page of several. */
function* missingPages(html: string, here: Set<string>): Generator<ImportItem> {
  if (!html.includes('class="pagination ')) return;
  for (const [, name = ''] of html.matchAll(/class="pagination [^"<>]{0,40}" href="(messages\d{0,6}\.html)/g)) {
    if (here.has(name)) continue;
    here.add(name);
    yield { kind: 'skipped', why: 'missing_page', where: whereIn(name) };
  }
}

/** `messages.html` is followed by `messages2.html`. */
function numberOf({ name }: ArchiveEntry): number {
  return Number(PAGE.exec(name)?.[1] || 1);
}
