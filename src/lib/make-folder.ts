import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it that are missing, for its owner alone. With `recursive`, Node's own way never comes
 * back from a place such as /proc, which is there and refuses a new folder as if it were not.
 */
export function makeFolder(path: string, isAgain = false): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !isAgain) {
      // Another process may have made it since.
      if (!existsSync(dirname(path))) makeFolder(dirname(path));
      makeFolder(path, true);
    } else if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
