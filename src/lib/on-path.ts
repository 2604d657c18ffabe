import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Whether a shell finds a program of this name. Relative entries of PATH do not count: they depend on the folder. */
export function isOnPath(name: string, path: string): boolean {
  return path.split(delimiter).some((folder) => isAbsolute(folder) && isExecutable(join(folder, name)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
