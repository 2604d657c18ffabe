import { existsSync } from 'node:fs';
import { AppError } from '../../domain/errors.ts';
import type { Origin } from '../../domain/origin.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import type { Identities, KnownRepositories } from '../ports.ts';
import { claimsUser } from '../user-name.ts';
import { agentContextOf } from './agent-context.ts';
import { type RemoteAgents, remoteContext } from './remote-context.ts';

export interface IdentityParts {
  repositories: KnownRepositories;
  remoteAgents: RemoteAgents;
  clock: Clock;
  log: Log;
}

/** A repository is noted again only after this time. */
const NOTED_AGAIN_MS = 10 * 60_000;

/** The agent that a caller speaks for: the one of its tmux window, or the one of its token. */
export function createIdentities({ repositories, remoteAgents, clock, log }: IdentityParts): Identities & Welcoming {
  const noted = new Map<string, number>();

  /** A failure here is only logged: the next call notes it again. */
  async function note(folder: string, tmux: string | undefined, pane: string | undefined): Promise<void> {
    const session = tmux && pane ? { tmux, pane } : undefined;
    const key = JSON.stringify([folder, session]);
    const now = clock.now();
    if (now - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < NOTED_AGAIN_MS) return;
    noted.set(key, now);
    try {
      await repositories.note(folder, session);
    } catch (err) {
      noted.delete(key);
      log.warn({ err }, 'a repository with agent mail could not be stored');
    }
  }

  return {
    async of({ origin, principal }) {
      if (origin) {
        const at = await agentContextOf(origin);
        void note(at.mailFolders.main, origin.tmux, at.me.pane);
        return at;
      }
      if (principal.agent !== undefined && claimsUser(principal.agent)) {
        throw new AppError('NO_AGENT_IDENTITY', "This token has the user's name, which no agent can have.", {
          hint: 'Make one with another name: switchboard token add NAME --agent AGENT.',
        });
      }
      if (principal.agent !== undefined) return remoteContext(principal.agent, { repositories, remoteAgents });
      throw new AppError('NO_AGENT_IDENTITY', 'This caller is no agent: its token does not say which one it is.', {
        hint: 'Make one that does: switchboard token add NAME --agent AGENT --scopes agentmail:read,agentmail:send.',
      });
    },
    async welcome({ cwd, tmux, tmuxPane }) {
      const folder = mailFoldersFor(cwd)?.main;
      if (folder !== undefined && (tmux !== undefined || existsSync(folder))) await note(folder, tmux, tmuxPane);
    },
  };
}

interface Welcoming {
  /** A process of this user has connected: its folder may have mail. */
  welcome(origin: Origin): Promise<void>;
}
