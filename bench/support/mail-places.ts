import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentContext } from '../../src/agentmail/agent.ts';
import { encodeLine, timestamp } from '../../src/agentmail/mailbox/line.ts';
import { mailFoldersFor } from '../../src/agentmail/mailbox/mail-folders.ts';

/** A file system in memory, where writing to disk costs nothing. */
const MEMORY = '/dev/shm';

const made: string[] = [];
process.once('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export interface Place {
  id: 'disk' | 'memory';
  title: string;
  /** A separate repository, removed when this process exits. */
  repository(): string;
}

export function placesToMeasure(): Place[] {
  const disk: Place = { id: 'disk', title: 'on disk', repository: () => repositoryIn(tmpdir()) };
  const memory: Place = { id: 'memory', title: 'without the disk', repository: () => repositoryIn(MEMORY) };
  return existsSync(MEMORY) ? [disk, memory] : [disk];
}

/** An agent's context among windows of these names. */
export function standIn(root: string, me: string, names: readonly string[]): AgentContext {
  const mailFolders = mailFoldersFor(root);
  const peers = names.map((name, index) => ({ name, isCurrent: name === me, window: `1:1:@${index}` }));
  const mine = peers.find(({ isCurrent }) => isCurrent);
  if (!mailFolders || !mine) throw new Error(`${me} stands nowhere`);
  return { me: mine, peers, mailFolders, ignored: new Set() };
}

/** Writes a mailbox with this many read letters; returns its path. */
export function fillMailbox(root: string, name: string, letters: number): string {
  const path = join(root, '.agentmail', 'mailboxes', `${name}.jsonl`);
  mkdirSync(join(path, '..'), { recursive: true });
  const line = (index: number) =>
    encodeLine({
      ...{ id: String(index).padStart(8, '0'), from: 'a1', to: name, isRead: true },
      ...{ message: 'x'.repeat(120), createdAt: timestamp(Date.now()) },
    });
  writeFileSync(path, Array.from({ length: letters }, (_, index) => line(index)).join(''), { mode: 0o600 });
  return path;
}

function repositoryIn(parent: string): string {
  const folder = mkdtempSync(join(parent, 'switchboard-bench-'));
  made.push(folder);
  mkdirSync(join(folder, '.git'));
  return folder;
}
