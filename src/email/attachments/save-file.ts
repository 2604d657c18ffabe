import { constants } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';

/** Files of the same name in one folder. */
const MAX_SAME = 1_000;

/**
 * Writes a new file below `<home>/attachments` and returns its path. Nothing that exists is overwritten or followed: the folders
 * are this user's own, and the file is created by this call.
 */
export async function saveFile(
  home: string,
  folders: readonly string[],
  name: string,
  content: Uint8Array,
): Promise<string> {
  let folder = join(home, 'attachments');
  await makeOwnFolder(folder);
  for (const part of folders) {
    folder = join(folder, part);
    await makeOwnFolder(folder);
  }
  for (let number = 1; number <= MAX_SAME; number += 1) {
    const path = join(folder, numbered(name, number));
    const file = await create(path);
    if (!file) continue;
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    return path;
  }
  throw new AppError('CONFLICT', 'There are too many files of this name in the folder of attachments.');
}

async function makeOwnFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if ((await lstat(path)).isDirectory()) return;
  throw new AppError('CONFLICT', 'The folder of attachments cannot be used: a part of its path is no folder.', {
    hint: 'Remove what is in its place below SWITCHBOARD_HOME/attachments.',
  });
}

async function create(path: string) {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  try {
    return await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

/** `offer.pdf`, `offer (2).pdf`. */
function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`;
}
