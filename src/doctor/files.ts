import { access, constants, lstat, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { broken, type Finding, ok, warning } from '../domain/finding.ts';
import { formatBytes } from '../lib/format-bytes.ts';

/** Files of the home that only the owner may access. */
const PRIVATE = ['run', 'logs', 'secrets', 'switchboard.db'];
const SCARCE = 200 * 1024 * 1024;
const FULL = 10 * 1024 * 1024;

export async function examineHome(home: string, user = process.getuid?.()): Promise<readonly Finding[]> {
  const found = await stat(home).catch(() => undefined);
  if (!found) return [await examineAbsence(home)];
  if (!found.isDirectory())
    return [broken('home', `${home} is not a folder.`, 'SWITCHBOARD_HOME can name another one.')];
  const own = await examineMode(home, user);
  // What is in the home of another user is theirs.
  if (own.some(({ state }) => state === 'broken')) return own;
  const inside = await Promise.all(PRIVATE.map((name) => examineMode(join(home, name), user)));
  const findings = [own, ...inside];
  const wrong = findings.flat();
  return wrong.length > 0 ? wrong : [ok('home', home)];
}

async function examineAbsence(home: string): Promise<Finding> {
  const place = await nearest(home);
  const canMake = await access(place, constants.W_OK | constants.X_OK).then(
    async () => (await stat(place)).isDirectory(),
    () => false,
  );
  if (canMake) return ok('home', `${home} is not there yet; it is made when it is needed.`);
  return broken(
    'home',
    `${home} cannot be made: ${place} is not a folder that this user may write to.`,
    'SWITCHBOARD_HOME can name another folder.',
  );
}

async function examineMode(path: string, user: number | undefined): Promise<readonly Finding[]> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return [];
  if (user !== undefined && found.uid !== user) {
    return [broken('home', `${path} belongs to another user.`, 'SWITCHBOARD_HOME can name another folder.')];
  }
  const wanted = found.isDirectory() ? 0o700 : 0o600;
  if (found.isSymbolicLink() || (found.mode & 0o777 & ~wanted) === 0) return [];
  return [warning('home', `Others may reach ${path}.`, `chmod ${wanted.toString(8)} '${path}'`)];
}

export async function examineDisk(home: string): Promise<readonly Finding[]> {
  const { bavail, bsize } = await statfs(await nearest(home));
  const free = bavail * bsize;
  const says = `${formatBytes(free)} are free.`;
  const mend = 'Free some space on that disk.';
  if (free < FULL) return [broken('disk', says, mend)];
  return [free < SCARCE ? warning('disk', says, mend) : ok('disk', says)];
}

/** The path itself, or its nearest existing parent folder. */
async function nearest(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearest(dirname(path));
}
