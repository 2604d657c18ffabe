import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Importer, ImportItem, ImportOptions, SkipReason } from '../../../src/connectors/archive/importer.ts';
import { type ArchiveReader, openArchive } from '../../../src/connectors/archive/open-archive.ts';
import { importerOf } from '../../../src/connectors/archive/registry.ts';
import type { ArchiveFormat } from '../../../src/domain/archive.ts';
import type { InboundEvent, InboundMessage } from '../../../src/domain/chat.ts';

export interface ReadArchive {
  items: readonly ImportItem[];
  events: readonly InboundEvent[];
  messages: readonly InboundMessage[];
  skipped: readonly { why: SkipReason; where: string }[];
  assumed: Record<string, string>;
}

/** Everything an importer reads from an export. */
export async function readArchive(
  format: ArchiveFormat,
  path: string,
  options: ReadOptions = {},
): Promise<ReadArchive> {
  const archive = await openArchive(path);
  try {
    return await readOpened(await importerOf(format), archive, options);
  } finally {
    await archive.close();
  }
}

/** The same for an open archive. */
export async function readOpened(
  importer: Importer,
  archive: ArchiveReader,
  { timeZone = 'UTC', signal = new AbortController().signal, ...options }: ReadOptions = {},
): Promise<ReadArchive> {
  const items: ImportItem[] = [];
  for await (const item of importer.read({ archive, signal, timeZone, options })) items.push(item);
  const events = items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
  return {
    items,
    events,
    messages: events.flatMap((event) => (event.kind === 'message' ? [event.message] : [])),
    skipped: items.flatMap((item) => (item.kind === 'skipped' ? [{ why: item.why, where: item.where }] : [])),
    assumed: Object.fromEntries(items.flatMap((item) => (item.kind === 'assumed' ? [[item.what, item.value]] : []))),
  };
}

type ReadOptions = ImportOptions & { timeZone?: string; signal?: AbortSignal };

/** Writes a file into a folder, with its parent folders. */
export function fileIn(folder: string, name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}
