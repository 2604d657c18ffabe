import type { AgentContext, Peer } from '../agent.ts';
import { agentNameIn } from '../letter-text.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';

/** For the sender: the recipient works outside of this repository, so it may never read its mail here. */
export function noteElsewhere({ mailFolders }: AgentContext, { name, folder }: Peer): string | undefined {
  if (folder === undefined || mailFoldersFor(folder)?.main === mailFolders.main) return undefined;
  return `The window ${agentNameIn(name)} is not in this repository: it gets the message only when it reads its mail in this one.`;
}
