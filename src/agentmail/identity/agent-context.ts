import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { Origin } from '../../domain/origin.ts';
import type { AgentContext, MailFolders } from '../agent.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { windowsOn } from '../tmux/tmux.ts';
import { type Inside, tmuxLocationOf } from '../tmux/tmux-location.ts';

const IGNORE_FILE = '.agentmailignore';

/** The agent behind a call, and whom it can reach. */
export async function agentContextOf(origin: Origin): Promise<AgentContext> {
  const where = await tmuxLocationOf(origin);
  if (where.kind === 'outside') throw new AppError('NO_AGENT_IDENTITY', 'not running inside a tmux session');
  if (where.kind === 'lost') {
    throw new AppError('NO_AGENT_IDENTITY', `failed to get current window: ${where.cause}`);
  }
  if (where.kind === 'uncertain') throw new AppError('NO_AGENT_IDENTITY', where.cause, { hint: where.hint });
  const context = agentContextIn(where, [origin.cwd, where.me.folder], [where.socket]);
  if (!context) throw new AppError('NO_AGENT_IDENTITY', 'not in a git repository: not in a git repository');
  return context;
}

/** The first folder that is in a Git repository decides where the agent's mail is. */
export function agentContextIn(
  { me, peers }: Pick<Inside, 'me' | 'peers'>,
  folders: readonly (string | undefined)[],
  /** Of the tmux servers that have agents of this repository. */
  sockets: readonly string[],
): AgentContext | undefined {
  for (const folder of folders) {
    const mailFolders = folder === undefined ? undefined : mailFoldersFor(folder);
    if (folder === undefined || !mailFolders) continue;
    return { me, peers, mailFolders, ignored: ignoredAt(folder, mailFolders), everyWindow: () => windowsOn(sockets) };
  }
  return undefined;
}

/** One name per line, exactly; neither comments nor patterns. */
function ignoredAt(folder: string, mailFolders: MailFolders): ReadonlySet<string> {
  const roots = new Set([repositoryAbove(folder), dirname(mailFolders.main)]);
  return new Set([...roots].flatMap((root) => (root === undefined ? [] : namesIn(join(root, IGNORE_FILE)))));
}

function repositoryAbove(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : repositoryAbove(parent);
}

function namesIn(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.map((line) => line.trim()).filter((line) => line !== '');
  } catch {
    return [];
  }
}
