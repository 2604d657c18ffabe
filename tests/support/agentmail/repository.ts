import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentContext } from '../../../src/agentmail/agent.ts';
import { mailFoldersFor } from '../../../src/agentmail/mailbox/mail-folders.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A folder that looks like a Git repository. */
export function temporaryRepository(onEnd: (clean: () => void) => void): string {
  const root = temporaryFolder(onEnd);
  mkdirSync(join(root, '.git'));
  return root;
}

/** The context of an agent among windows of these names, in order; `me` is the first window of its name. */
export function standAt(
  root: string,
  me: string,
  names: readonly string[],
  ignored: readonly string[] = [],
): AgentContext {
  const mailFolders = mailFoldersFor(root);
  if (!mailFolders) throw new Error(`${root} is no repository`);
  const own = names.indexOf(me);
  const peers = names.map((name, index) => ({ name, isCurrent: index === own, window: `1:1:@${index}` }));
  const mine = peers[own] ?? { name: me, isCurrent: true };
  return { me: mine, peers, ignored: new Set(ignored), mailFolders };
}
