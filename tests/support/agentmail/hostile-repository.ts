import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openDeliveryState } from '../../../src/agentmail/delivery/delivery-state.ts';
import { programEnvironment } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { agentmailPath } from './program.ts';

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test'];
const HANGS_AFTER_MS = 60_000;

type OnEnd = (end: () => void) => void;

export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-C', folder, ...IDENTITY, ...args], { encoding: 'utf8', stdio: 'pipe' });
}

/** A repository of the user, before anything hostile is in it. */
export function localRepository(onEnd: OnEnd): string {
  const folder = realpathSync(temporaryFolder(onEnd));
  git(folder, 'init', '-q');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'first');
  return folder;
}

/** A clone of a repository in which everything that `plant` makes was committed. */
export function hostileClone(onEnd: OnEnd, plant: (folder: string) => void): string {
  const origin = localRepository(onEnd);
  plant(origin);
  git(origin, 'add', '-A', '-f');
  git(origin, 'commit', '-q', '-m', 'hostile');
  const clone = join(realpathSync(temporaryFolder(onEnd)), 'clone');
  git(origin, 'clone', '-q', origin, clone);
  return clone;
}

export function writeIn(folder: string, path: string, content: string | Buffer): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** Runs `agentmail` and kills it if it hangs; then its code is null. */
export async function runBounded(args: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
  const child = spawn(process.execPath, [agentmailPath, ...args], {
    cwd,
    env: programEnvironment({ env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: HANGS_AFTER_MS,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout as Readable),
    text(child.stderr as Readable),
    once(child, 'close'),
  ]);
  return { code: code as number | null, stdout, stderr };
}

/** A state database in which `letters` is a view that never ends. */
export function endlessView(folder: string): void {
  openDeliveryState(join(folder, '.agentmail')).close();
  const database = new DatabaseSync(join(folder, '.agentmail', 'switchboard', 'side.db'));
  const columns = database.prepare('pragma table_info(letters)').all() as unknown as { name: string }[];
  const endless = 'with recursive n(x) as (select 1 union all select x + 1 from n)';
  const values = columns
    .map(({ name }) => `${name === 'fetched_at' ? 'x' : 'nullif(x, abs(x))'} as ${name}`)
    .join(', ');
  database.exec(`drop table letters; create view letters as ${endless} select ${values} from n where x < 0`);
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}

/** A state database with our schema to the letter, whose table of leases is a tree with 100^10 leaves on few pages. */
export function endlessPages(folder: string): void {
  plantTree(folder, 'leases', (size) => [leafPage(size)]);
}

/**
 * A state database with our schema to the letter, in which 100^10 rows of remote agents share one name of 15 MB: its
 * pages are one page, which continues on itself. The file is sparse.
 */
export function endlessValues(folder: string): void {
  const nameLength = 15_000_000;
  const path = plantTree(folder, 'remote_agents', (size, at) => [
    overflowingLeaf(size, nameLength, at + 1),
    Buffer.alloc(size, 'x').fill(Buffer.from([0, 0, 0, at + 1]), 0, 4),
  ]);
  const bytes = readFileSync(path);
  const pages = Math.ceil(nameLength / bytes.readUInt16BE(16)) + 100;
  bytes.writeUInt32BE(pages, 28);
  writeFileSync(path, bytes);
  truncateSync(path, pages * bytes.readUInt16BE(16));
}

/** Replaces a table by a tree of pages that are shared, above the pages that `leaves` makes from the page `at` on. */
function plantTree(folder: string, table: string, leaves: (size: number, at: number) => Buffer[]): string {
  openDeliveryState(join(folder, '.agentmail')).close();
  const path = join(folder, '.agentmail', 'switchboard', 'side.db');
  const database = new DatabaseSync(path);
  const { rootpage } = database.prepare('select rootpage from sqlite_schema where name = ?').get(table) as {
    rootpage: number;
  };
  database.exec('pragma application_id = 0; pragma wal_checkpoint(truncate)');
  database.close();
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });

  const bytes = readFileSync(path);
  const size = bytes.readUInt16BE(16);
  const first = bytes.length / size;
  const levels = 9;
  const pages = Array.from({ length: levels }, (_, level) => interiorPage(size, first + level + 2));
  const added = [...pages, ...leaves(size, first + levels + 1)];
  interiorPage(size, first + 1).copy(bytes, (rootpage - 1) * size);
  bytes.writeUInt32BE(first + added.length, 28);
  bytes.writeUInt32BE(bytes.readUInt32BE(24), 92);
  writeFileSync(path, Buffer.concat([bytes, ...added]));
  return path;
}

/** All its children are the same page. */
function interiorPage(size: number, child: number): Buffer {
  const page = Buffer.alloc(size);
  const cells = 100;
  page[0] = 5;
  page.writeUInt16BE(cells, 3);
  page.writeUInt32BE(child, 8);
  for (let cell = 0; cell < cells; cell++) {
    const at = size - (cell + 1) * 8;
    page.writeUInt16BE(at, 12 + cell * 2);
    page.writeUInt32BE(child, at);
    page[at + 4] = cell + 1;
  }
  page.writeUInt16BE(size - cells * 8, 5);
  return page;
}

/** One row: id 'x', holder 1, until 1, token 'y'. */
function leafPage(size: number): Buffer {
  const page = Buffer.alloc(size);
  const record = Buffer.from([5, 15, 9, 9, 15, 0x78, 0x79]);
  const at = size - 16;
  page[0] = 13;
  page.writeUInt16BE(1, 3);
  page.writeUInt16BE(at, 5);
  page.writeUInt16BE(at, 8);
  page[at] = record.length;
  page[at + 1] = 1;
  record.copy(page, at + 2);
  return page;
}

/** One row: a name that continues on another page, seen_at 1. */
function overflowingLeaf(size: number, nameLength: number, overflow: number): Buffer {
  const header = [...varint(13 + 2 * nameLength), 9];
  const record = [header.length + 1, ...header];
  const payload = record.length + nameLength;
  const least = Math.floor(((size - 12) * 32) / 255) - 23;
  const kept = least + ((payload - least) % (size - 4));
  const local = kept <= size - 35 ? kept : least;
  const cell = Buffer.concat([Buffer.from([...varint(payload), 1, ...record]), Buffer.alloc(size, 'x')]);
  const length = varint(payload).length + 1 + local;
  const page = Buffer.alloc(size);
  const at = size - length - 4;
  page[0] = 13;
  page.writeUInt16BE(1, 3);
  page.writeUInt16BE(at, 5);
  page.writeUInt16BE(at, 8);
  cell.copy(page, at, 0, length);
  page.writeUInt32BE(overflow, size - 4);
  return page;
}

/** SQLite's numbers of seven bits a byte, the highest first. */
function varint(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
