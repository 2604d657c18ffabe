import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { Log } from '../../lib/log.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import type { KnownRepositories } from '../ports.ts';
import { ANNOUNCED, type Announcement } from './announce.ts';

export interface AnnouncedParts {
  home: string;
  repositories: Pick<KnownRepositories, 'note'>;
  clock: Clock;
  log: Log;
}

export interface AnnouncedRepositories {
  /** Notes the repositories in which the command was used since the last call. Returns how many were noted. */
  collect(): Promise<number>;
  /** Calls back whenever the command is used. Returns what ends that. */
  listen(onUse: () => void): () => void;
}

const MAX_FILES = 1_000;
const MAX_BYTES = 16 * 1024;
/** A repository that is in use is noted again only after this time. */
const NOTED_AGAIN_MS = 10 * 60_000;
/** Unused for so long and noted, a file is deleted: the next use writes it again. */
const KEPT_MS = 24 * 3_600_000;

/** The files that the `agentmail` command leaves in the home. */
export function createAnnouncedRepositories({ home, repositories, clock, log }: AnnouncedParts): AnnouncedRepositories {
  const folder = join(home, ANNOUNCED);
  const noted = new Map<string, number>();
  let last: Promise<number> = Promise.resolve(0);

  async function collectNow(): Promise<number> {
    let count = 0;
    const used = filesIn(folder);
    for (const { name, usedAt } of used) {
      const path = join(folder, name);
      // A partial one remains only of a command that was killed.
      if (!name.endsWith('.partial') && usedAt - (noted.get(name) ?? Number.NEGATIVE_INFINITY) >= NOTED_AGAIN_MS) {
        const announced = read(path);
        if (announced) {
          await repositories.note(announced.folder, announced.session);
          count += 1;
        }
        noted.set(name, usedAt);
      }
      if (clock.now() - usedAt < KEPT_MS) continue;
      rmSync(path, { force: true });
      noted.delete(name);
    }
    return count;
  }

  return {
    collect() {
      last = last.then(collectNow).catch((err: unknown) => {
        log.warn({ err }, 'the repositories in which agentmail was used could not be read');
        return 0;
      });
      return last;
    },
    listen(onUse) {
      // A home that was removed meanwhile is not made again: the daemon ends.
      if (!existsSync(home)) return () => {};
      makeFolder(folder);
      const watcher = watch(folder, { persistent: false }, (_, name) => void (name?.endsWith('.json') && onUse()));
      watcher.on('error', (err) => log.warn({ err }, 'new repositories with agent mail are noticed later'));
      return () => watcher.close();
    },
  };
}

/** The one used last comes last, so that it counts as the most recent. */
function filesIn(folder: string): { name: string; usedAt: number }[] {
  return names(folder)
    .filter((name) => /^[0-9a-f]{64}\.json(\.\d+\.partial)?$/.test(name))
    .slice(0, MAX_FILES)
    .flatMap((name) => {
      const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
      return found?.isFile() ? [{ name, usedAt: Math.floor(found.mtimeMs) }] : [];
    })
    .sort((a, b) => a.usedAt - b.usedAt);
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Only a folder that is still the mail of a repository. */
function read(path: string): Announcement | undefined {
  if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? MAX_BYTES) >= MAX_BYTES) return undefined;
  const announced = announcementIn(jsonIn(path));
  return announced && mailFoldersFor(dirname(announced.folder))?.main === announced.folder ? announced : undefined;
}

/** Checked by hand, because agent mail loads no package. */
function announcementIn(value: unknown): Announcement | undefined {
  if (!isRecord(value) || typeof value.folder !== 'string' || !isAbsolute(value.folder)) return undefined;
  const { folder, session } = value;
  if (session === undefined) return { folder };
  if (!isRecord(session) || typeof session.tmux !== 'string' || typeof session.pane !== 'string') return undefined;
  const { tmux, pane } = session;
  return /^%\d{1,9}$/.test(pane) ? { folder, session: { tmux, pane } } : undefined;
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
