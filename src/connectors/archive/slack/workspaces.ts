import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import type { Lists } from './directory.ts';

/** The export of one workspace: its lists, and the messages of a day in the folder of a channel each. */
export interface Workspace {
  lists: ReadonlyMap<keyof Lists, ArchiveEntry>;
  days: readonly ArchiveEntry[];
}

export interface WorkspaceFiles {
  workspaces: readonly Workspace[];
  /** Named like a day, and not where days are: somebody may have sent them. */
  sent: readonly ArchiveEntry[];
}

const LISTS: ReadonlySet<string> = new Set(['users', 'channels', 'groups', 'mpims', 'dms'] satisfies (keyof Lists)[]);
const DAY_FILE = /(?:^|\/)\d{4}-\d\d-\d\d\.json$/;

/** The exports in a file, folder or zip. Without lists there are the folders of channels, or one of them. */
export function workspacesIn({ entries }: ArchiveReader): WorkspaceFiles {
  const listsOf = Map.groupBy(
    entries.filter((entry) => listIn(entry) !== undefined),
    ({ name }) => above(name),
  );
  const isBelowLists = (folder: string): boolean =>
    listsOf.has(folder) || (folder !== '' && isBelowLists(above(folder)));
  const [days, sent]: [Map<string, ArchiveEntry[]>, ArchiveEntry[]] = [new Map(), []];
  for (const entry of entries.filter(({ name }) => DAY_FILE.test(name))) {
    const channel = above(entry.name);
    const isDay = channel !== '' && listsOf.has(above(channel));
    // The folder of a channel into which somebody copied the lists.
    const isOfChannel = channel === '' && listsOf.has('');
    if (!isDay && !isOfChannel && isBelowLists(channel)) sent.push(entry);
    else {
      const root = isDay ? above(channel) : isOfChannel ? '' : NO_LISTS;
      const known = days.get(root);
      if (known) known.push(entry);
      else days.set(root, [entry]);
    }
  }
  return {
    workspaces: [...days].map(([root, of]) => ({
      days: of,
      lists: new Map((listsOf.get(root) ?? []).map((entry) => [listIn(entry) as keyof Lists, entry])),
    })),
    sent,
  };
}

/** No folder has this name. */
const NO_LISTS = '\0';

function listIn({ name }: ArchiveEntry): string | undefined {
  const list = /(?:^|\/)([a-z]+)\.json$/.exec(name)?.[1];
  return list !== undefined && LISTS.has(list) ? list : undefined;
}

/** The folder of a file or folder; empty for that of the archive. */
function above(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}
