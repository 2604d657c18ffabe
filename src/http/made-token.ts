import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';

const FILE = 'http-token';
const OWNER_ONLY = 0o600;
const BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

export interface MadeToken {
  token: string;
  path: string;
}

/**
 * The token of a home on systems that do not report the user of a connection: made once and kept in a file of the home,
 * readable by its owner alone.
 */
export async function madeToken(home: string): Promise<MadeToken> {
  const path = join(home, FILE);
  const token = (await create(path)) ?? (await read(path));
  if (token !== undefined) return { token, path };
  throw new AppError('CONFLICT', `${path} is not a token that was made here, or other users can read it.`, {
    hint: 'Remove the file, so that a new token is made, or set auth.token.',
  });
}

async function create(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, 'wx', OWNER_ONLY);
    const token = randomBytes(BYTES).toString('base64url');
    await file.writeFile(`${token}\n`).finally(() => file.close());
    return token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

async function read(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (!file) return undefined;
  try {
    const { uid, mode } = await file.stat();
    if (uid !== (process.geteuid?.() ?? uid) || (mode & 0o077) !== 0 || (mode & constants.S_IFMT) !== constants.S_IFREG)
      return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BYTES * 2), 0, BYTES * 2, 0);
    const token = buffer.toString('utf8', 0, bytesRead).trim();
    return TOKEN.test(token) ? token : undefined;
  } finally {
    await file.close();
  }
}
