import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { AgentContext, Peer } from '../agent.ts';
import type { KnownRepositories, KnownRepository, KnownSession } from '../ports.ts';
import { namedLocationOf } from '../tmux/tmux-location.ts';
import { agentContextIn } from './agent-context.ts';

/** Agents without a window, in the delivery state of a repository. */
export interface RemoteAgents {
  /** The agent has called: others may write to it. */
  saw(mailFolder: string, name: string): Promise<void>;
  /** Whether a mailbox or a status has this name. */
  isKnownIn(mailFolder: string, name: string): Promise<boolean>;
}

export interface RemoteParts {
  repositories: Pick<KnownRepositories, 'list'>;
  remoteAgents: RemoteAgents;
}

interface Candidate {
  repository: KnownRepository;
  /** The windows of its sessions that still exist. */
  peers: readonly Peer[];
}

/** The context of an agent without a window: in the repository where it is known, or in the only repository. */
export async function remoteContext(name: string, { repositories, remoteAgents }: RemoteParts): Promise<AgentContext> {
  const known = (await repositories.list()).filter(({ folder }) => existsSync(dirname(folder)));
  const candidates = await Promise.all(
    known.map(async (repository) => ({ repository, peers: await peersOf(repository) })),
  );
  const { repository, peers } = await choose(name, candidates, remoteAgents);
  // If a window has the agent's name, the token speaks for that window.
  const window = peers.find((peer) => peer.name === name);
  const me: Peer = { ...(window ?? { name }), isCurrent: true };
  const others = peers.filter((peer) => peer !== window);
  const root = dirname(repository.folder);
  const sockets = repository.sessions.map(({ tmux }) => tmux.split(',')[0] ?? '');
  const at = agentContextIn({ me, peers: [...others, me] }, [root], [...new Set(sockets)]);
  if (!at) throw noIdentity(`The repository of the agent '${name}' is gone.`);
  if (!window) await remoteAgents.saw(at.mailFolders.main, name);
  return at;
}

async function choose(name: string, candidates: readonly Candidate[], remote: RemoteAgents): Promise<Candidate> {
  const bears = await Promise.all(
    candidates.map(
      async ({ repository, peers }) =>
        peers.some((peer) => peer.name === name) || (await remote.isKnownIn(repository.folder, name)),
    ),
  );
  const fitting = candidates.filter((_, index) => bears[index]);
  const choice = fitting.length > 0 ? fitting : candidates;
  const [only] = choice;
  if (!only) {
    throw noIdentity('No repository with agent mail is known yet.', 'Use agent mail from within it once, in tmux.');
  }
  if (choice.length === 1) return only;
  const where =
    fitting.length > 0 ? `${fitting.length} repositories know` : `None of ${choice.length} repositories knows`;
  throw noIdentity(
    `${where} an agent '${name}', so it is unknown where its mail is.`,
    'Send it mail from within the right repository, or give the token another agent.',
  );
}

async function peersOf({ sessions }: KnownRepository): Promise<readonly Peer[]> {
  const found = await Promise.all(sessions.map(windowsOf));
  const byWindow = new Map(found.flat().map((peer) => [peer.window ?? '', peer]));
  return [...byWindow.values()];
}

async function windowsOf({ tmux, pane }: KnownSession): Promise<readonly Peer[]> {
  const where = await namedLocationOf({ pid: 0, cwd: '/', tmux, tmuxPane: pane });
  if (where.kind !== 'inside') return [];
  // Another server at the same socket uses the same pane ids.
  const [, server] = tmux.split(',');
  if (!where.me.window?.startsWith(`${server}:`)) return [];
  return where.peers.map((peer) => ({ ...peer, isCurrent: false }));
}

function noIdentity(message: string, hint?: string): AppError {
  return new AppError('NO_AGENT_IDENTITY', message, hint === undefined ? {} : { hint });
}
