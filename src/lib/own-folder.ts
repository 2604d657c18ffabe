import { lstatSync, mkdirSync } from 'node:fs';

/** Creates a folder, but not its parents. Returns whether it is there, for this user alone. */
export function makeOwnFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch {
    // It may be there already.
  }
  return isOwnFolder(path);
}

/** Whether it is a folder of this user that no other one can read or write to; false for a symbolic link. */
export function isOwnFolder(path: string): boolean {
  try {
    const found = lstatSync(path);
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  } catch {
    return false;
  }
}
