import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents, for its owner alone. Node's own `recursive` never returns for a path in
 * /proc, which exists and answers ENOENT to a new folder.
 */
export function makeFolder(path: string, isAgain = false): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !isAgain) {
      // Another process may have created it since.
      if (!existsSync(dirname(path))) makeFolder(dirname(path));
      makeFolder(path, true);
    } else if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
