import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Writes a file atomically. `confirm` is called when everything is ready; if it returns false, nothing changes. */
export async function replaceFile(
  path: string,
  text: string,
  mode: number,
  confirm: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  makeFolder(dirname(path));
  const partial = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.partial`);
  try {
    await writeWhole(partial, text, mode);
    if (!(await confirm())) return false;
    await rename(partial, path);
    return true;
  } finally {
    await rm(partial, { force: true });
  }
}

async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text);
    // The umask may have removed permissions.
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}
