import { basename, dirname } from 'node:path';
import { beginningOf } from '../beginning.ts';
import { entryText } from '../entry-text.ts';
import { type ImportItem, whereIn } from '../importer.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import { isPacked } from '../packed.ts';
import { titleOf } from './chat-name.ts';
import { parseHeader } from './header.ts';

const OF_IPHONE = '_chat.txt';
const GLANCE_BYTES = 4_096;
const IN_ZIP = /^[^/]+\.zip(?:\/|$)/i;

/**
 * The chats in an archive. Documents that were sent in a chat lie beside it and may be text files, also such that look like
 * a chat: they are left out.
 */
export function chatFilesIn(archive: ArchiveReader): {
  chats: readonly ArchiveEntry[];
  sent: readonly ArchiveEntry[];
} {
  const { kind, entries, path } = archive;
  if (kind === 'file') return { chats: entries, sent: [] };
  const texts = entries.filter(({ name }) => /\.txt$/i.test(name));
  const folders = Map.groupBy(texts, ({ name }) => dirname(name));
  const title = (folder: string) => titleOf(basename(folder === '.' ? path : folder));
  const chats = new Set<ArchiveEntry>();
  const isUnpackedChat = chatOfFolder(folders.get('.') ?? [], title('.')).length > 0;
  for (const [folder, files] of folders) {
    // Beside a chat that is unpacked, a zip is a document that was sent in it.
    if (isUnpackedChat && IN_ZIP.test(folder)) continue;
    for (const file of chatsAmong(files, title(folder))) chats.add(file);
  }
  return { chats: [...chats], sent: texts.filter((file) => !chats.has(file)) };
}

/** Those that look like a chat and are not read are named, and so are chats that are packed within a zip or folder. */
export async function* leftOutChats(
  { entries }: ArchiveReader,
  sent: readonly ArchiveEntry[],
): AsyncGenerator<ImportItem> {
  for (const file of entries) {
    if (isPacked(file) && isTitled(basename(file.name)))
      yield { kind: 'skipped', why: 'packed', where: whereIn(file.name) };
  }
  for (const file of sent) {
    const lines = entryText(await beginningOf(file, GLANCE_BYTES)).split('\n');
    if (lines.some((line) => parseHeader(line))) yield { kind: 'skipped', why: 'sent', where: whereIn(file.name) };
  }
}

/** Of the texts of one folder or zip, which has the title of its chat. */
function chatsAmong(files: readonly ArchiveEntry[], title: string): readonly ArchiveEntry[] {
  const choices = [chatOfFolder(files, title), called(files, isTitled)];
  return choices.find((choice) => choice.length > 0) ?? files;
}

/** The chat whose export the whole folder or zip is; empty if it may hold several. */
function chatOfFolder(files: readonly ArchiveEntry[], title: string): readonly ArchiveEntry[] {
  const ofIphone = called(files, (name) => name === OF_IPHONE);
  return ofIphone.length > 0 ? ofIphone : called(files, (name) => isTitled(name) && titleOf(name) === title);
}

function called(files: readonly ArchiveEntry[], is: (name: string) => boolean): readonly ArchiveEntry[] {
  return files.filter(({ name }) => is(basename(name)));
}

function isTitled(name: string): boolean {
  return /whatsapp/i.test(name);
}
