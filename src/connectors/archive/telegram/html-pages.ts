import { basename, dirname } from 'node:path';
import { type ImportInput, type ImportItem, whereIn } from '../importer.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import type { HtmlChatFiles } from './export-files.ts';
import { blocksOf } from './html-blocks.ts';
import { createHtmlReader, type HtmlReader } from './html-reader.ts';

type Tell = (position: number) => readonly ImportItem[];

/** Returns whether anything of an export was in the pages. */
export async function* readPages(
  chats: readonly HtmlChatFiles[],
  input: ImportInput,
  tell: Tell,
): AsyncGenerator<ImportItem, boolean> {
  /** Chats of one account may have the same name; in another export it is the same chat. */
  const namesOf = new Map<string, Map<string, string>>();
  let [done, isExport] = [0, false];
  for (const { folder, root, pages } of chats) {
    const names = namesOf.get(root) ?? new Map<string, string>();
    namesOf.set(root, names);
    const wanted = chats.length === 1 ? input.options.chat : undefined;
    const reader = createHtmlReader({ folder: nameOf(folder, input.archive), names, wanted }, input);
    const here = new Set(pages.map(({ name }) => basename(name)));
    for (const page of pages) {
      yield* readPage(page, { reader, here }, input, (position) => tell(done + position));
      done += page.size;
    }
    yield* reader.end();
    isExport ||= reader.isExport;
  }
  return isExport;
}

function nameOf(folder: string, { kind, path }: ArchiveReader): string {
  if (folder !== '') return basename(folder);
  return basename(kind === 'file' ? dirname(path) : path);
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
