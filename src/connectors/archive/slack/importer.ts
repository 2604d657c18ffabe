import { basename } from 'node:path';
import { type Importer, type ImportInput, type ImportItem, whereIn } from '../importer.ts';
import { elementsOf } from '../json-elements.ts';
import type { Fields } from '../json-fields.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveEntry } from '../open-archive.ts';
import { wrongFormat } from '../recognise.ts';
import { type SlackContext, toEvents } from './convert.ts';
import { createDirectory, type Lists } from './directory.ts';
import { workspacesIn } from './workspaces.ts';

/** Exports of Slack workspaces as zip or folder, or the folder of one channel. */
export const slack: Importer = {
  format: 'slack',
  async *read(input) {
    const { archive, options } = input;
    const { workspaces, sent } = workspacesIn(archive);
    if (workspaces.length === 0) throw await wrongFormat(archive, 'slack');
    const me = options.me === undefined ? {} : { me: options.me };
    const sizes = workspaces.flatMap(({ days }) => days).map(({ size }) => size);
    const meter = createMeter(sizes.reduce((sum, size) => sum + size, 0));
    let done = 0;
    for (const { lists, days } of workspaces) {
      const directory = createDirectory(yield* readLists(lists, input.signal), options.me);
      for (const day of days) {
        const chat = directory.chatIn(folderOf(day.name) ?? basename(archive.path));
        yield* readDay(day, { chat, directory, ...me }, input, (end) => meter(done + end));
        done += day.size;
      }
    }
    for (const { name } of sent) yield { kind: 'skipped', why: 'sent', where: whereIn(name) };
  },
};

async function* readLists(
  files: ReadonlyMap<keyof Lists, ArchiveEntry>,
  signal: AbortSignal,
): AsyncGenerator<ImportItem, Lists> {
  const lists: Record<keyof Lists, Fields[]> = { users: [], channels: [], groups: [], mpims: [], dms: [] };
  for (const [list, file] of files) {
    for await (const element of elementsOf(file, signal)) {
      if (element.kind === 'value') lists[list].push(element.fields);
      else if (element.kind === 'skipped') yield { ...element, where: whereIn(file.name, element.where) };
    }
  }
  return lists;
}

async function* readDay(
  day: ArchiveEntry,
  setting: SlackContext,
  { signal }: ImportInput,
  meter: (end: number) => readonly ImportItem[],
): AsyncGenerator<ImportItem> {
  for await (const element of elementsOf(day, signal)) {
    if (element.kind === 'read') yield* meter(element.end);
    else if (element.kind === 'skipped') yield { ...element, where: whereIn(day.name, element.where) };
    else {
      const events = toEvents(element.fields, setting);
      if (typeof events === 'string') yield { kind: 'skipped', why: events, where: whereIn(day.name, element.where) };
      else for (const event of events) yield { kind: 'event', event };
    }
  }
}

function folderOf(name: string): string | undefined {
  return name.split('/').at(-2);
}
