import { basename } from 'node:path';
import { type Importer, type ImportInput, type ImportItem, whereIn } from '../importer.ts';
import { elementsOf } from '../json-elements.ts';
import type { Fields } from '../json-fields.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import { wrongFormat } from '../recognise.ts';
import { type SlackContext, toEvents } from './convert.ts';
import { createDirectory, type Lists } from './directory.ts';

const LISTS = ['users', 'channels', 'groups', 'mpims', 'dms'] as const;
const DAY_FILE = /(?:^|\/)\d{4}-\d\d-\d\d\.json$/;

/** The export of a Slack workspace as zip or folder, or the folder of one channel. */
export const slack: Importer = {
  format: 'slack',
  async *read(input) {
    const { archive, options } = input;
    const days = archive.entries.filter(({ name }) => DAY_FILE.test(name));
    const files = listFiles(archive);
    if (days.length === 0) throw await wrongFormat(archive, 'slack');
    const lists = yield* readLists(files, input.signal);
    const me = options.me === undefined ? {} : { me: options.me };
    const directory = createDirectory(lists, options.me);
    const meter = createMeter(days.reduce((sum, { size }) => sum + size, 0));
    let done = 0;
    for (const day of days) {
      const chat = directory.chatIn(folderOf(day.name) ?? basename(archive.path));
      yield* readDay(day, { chat, directory, ...me }, input, (end) => meter(done + end));
      done += day.size;
    }
  },
};

/** The lists are together at the top of the export, which may be inside another folder. */
function listFiles({ entries }: ArchiveReader): Map<keyof Lists, ArchiveEntry> {
  const files = new Map<keyof Lists, ArchiveEntry>();
  const nearest = entries.toSorted((a, b) => depthOf(a.name) - depthOf(b.name));
  for (const list of LISTS) {
    const file = nearest.find(({ name }) => name === `${list}.json` || name.endsWith(`/${list}.json`));
    if (file) files.set(list, file);
  }
  return files;
}

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

function depthOf(name: string): number {
  return name.split('/').length;
}
