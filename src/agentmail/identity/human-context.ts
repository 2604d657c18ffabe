import type { AgentContext } from '../agent.ts';
import type { KnownRepositories } from '../ports.ts';
import { HUMAN } from '../user-name.ts';
import { remoteContext } from './remote-context.ts';

/** The user as a participant of one repository: has no window, and is known in each of them. */
export function humanContext(folder: string, repositories: Pick<KnownRepositories, 'list'>): Promise<AgentContext> {
  return remoteContext(HUMAN, {
    repositories: { list: async () => (await repositories.list()).filter((known) => known.folder === folder) },
    remoteAgents: { saw: async () => {}, isKnownIn: async () => true },
  });
}
