import { AppError } from '../../domain/errors.ts';
import type { Origin } from '../../domain/origin.ts';
import type { AgentContext } from '../agent.ts';
import { ignoredNames } from '../mailbox/ignored-names.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { windowsOn } from '../tmux/tmux.ts';
import { type Inside, tmuxLocationOf } from '../tmux/tmux-location.ts';

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
    const findings: string[] = [];
    const onFinding = (finding: string) => void findings.push(finding);
    const mailFolders = folder === undefined ? undefined : mailFoldersFor(folder, onFinding);
    if (folder === undefined || !mailFolders) continue;
    const ignored = ignoredNames(folder, mailFolders, onFinding);
    return { me, peers, mailFolders, ignored, findings, everyWindow: () => windowsOn(sockets) };
  }
  return undefined;
}
