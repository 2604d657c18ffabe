import { join } from 'node:path';
import type { MailFolders } from '../agent.ts';
import { statOf } from '../repository/repository-file.ts';
import { findWorkTree, type OnFinding, type WorkTree } from '../repository/work-tree.ts';

const FOLDER = '.agentmail';

/** The mail folders of the repository that a folder is in; undefined outside of one. */
export function mailFoldersFor(folder: string, onFinding: OnFinding = () => {}): MailFolders | undefined {
  const tree = findWorkTree(folder, onFinding);
  return tree && foldersOfWindow(tree);
}

function foldersOfWindow({ root, main }: WorkTree): MailFolders {
  const shared = join(main, FOLDER);
  return {
    main: shared,
    read: [shared, ...ownFolder({ root, main })],
    forFolder(folder) {
      const tree = folder === undefined ? undefined : findWorkTree(folder, () => {});
      return tree && tree.main === main ? (ownFolder(tree)[0] ?? shared) : shared;
    },
  };
}

/** The linked worktree's own mail folder, if it has one. A symbolic link does not count. */
function ownFolder({ root, main }: WorkTree): string[] {
  const folder = join(root, FOLDER);
  return root !== main && statOf(folder)?.isDirectory() ? [folder] : [];
}
