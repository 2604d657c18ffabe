import { type ImportItem, whereIn } from '../importer.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';

/** The pages of one chat in their order. */
export interface HtmlChatFiles {
  /** Path of the folder of the pages; empty for that of the export. */
  folder: string;
  /** Folder of the export that they belong to: an account has many chats. */
  root: string;
  pages: readonly ArchiveEntry[];
}

export interface ExportFiles {
  json: readonly ArchiveEntry[];
  html: readonly HtmlChatFiles[];
  /** What lies where an export has the files that were sent in a chat. */
  skipped: readonly ImportItem[];
}

/** A second export in the same folder becomes `result (1).json`; `results.json` is something else. */
const RESULT = /(?:^|\/)result(?:[^a-z/][^/]*)?\.json$/i;
const PAGE = /(?:^|\/)messages(\d{0,6})\.html$/i;
/** Folder of a chat in the export of an account, below the folder of the export. */
const CHAT_OF_ACCOUNT = /(?:^|\/)chats\/[^/]+$/;
/** Folders of the files that were sent in a chat. */
const MEDIA =
  /^(?:photos|files|video_files|voice_messages|round_video_messages|stickers|contacts|animations|profile_pictures|stories)$/;

/** The exports in a file, folder or zip. Anyone may send a file that looks like one: such files are left out. */
export function exportFilesIn({ kind, entries }: ArchiveReader): ExportFiles {
  if (kind === 'file') {
    const [html, json] = split(entries, ({ name }) => /\.html?$/i.test(name));
    return { json, html: html.map((page) => ({ folder: '', root: '', pages: [page] })), skipped: [] };
  }
  const named = entries.filter(({ name }) => RESULT.test(name));
  const json = named.length > 0 ? named : entries.filter(({ name }) => /\.json$/i.test(name));
  const pages = entries.filter(({ name }) => PAGE.test(name));
  const folders = new Set([...json, ...pages].map(({ name }) => folderOf(name)));
  const [sentJson, ownJson] = split(json, ({ name }) => isSent(name, folders));
  const [sentPages, ownPages] = split(pages, ({ name }) => isSent(name, folders));
  const rootsOfJson = new Set(ownJson.filter(({ name }) => RESULT.test(name)).map(({ name }) => folderOf(name)));
  return {
    json: ownJson,
    html: [...Map.groupBy(ownPages, ({ name }) => folderOf(name))]
      .map(([folder, of]) => ({
        folder,
        root: rootOf(folder),
        pages: of.toSorted((a, b) => numberOf(a) - numberOf(b)),
      }))
      .filter(({ folder, root }) => !rootsOfJson.has(folder) && !rootsOfJson.has(root)),
    skipped: [...sentJson, ...sentPages].map(({ name }) => ({ kind: 'skipped', why: 'sent', where: whereIn(name) })),
  };
}

/** Whether the file is named as that of an export, so that it holds one unless it is damaged. */
export function isResult({ name }: ArchiveEntry): boolean {
  return RESULT.test(name);
}

function isSent(name: string, folders: ReadonlySet<string>): boolean {
  const parts = name.split('/').slice(0, -1);
  return parts.some((part, index) => {
    const above = parts.slice(0, index).join('/');
    return MEDIA.test(part) && (folders.has(above) || folders.has(rootOf(above)));
  });
}

function rootOf(folder: string): string {
  return folder.replace(CHAT_OF_ACCOUNT, '');
}

function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}

/** `messages.html` is followed by `messages2.html`. */
function numberOf({ name }: ArchiveEntry): number {
  return Number(PAGE.exec(name)?.[1] || 1);
}

function split<Value>(values: readonly Value[], is: (value: Value) => boolean): [Value[], Value[]] {
  return [values.filter(is), values.filter((value) => !is(value))];
}
