// Programs of a newer Debian release than the machine's, unpacked below `.cache` in the checkout: neither the system nor its
// package lists are changed, and root is not required. Runs on Node 20, imports no package.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { root, run } from './checkout.mjs';

const cache = join(root, '.cache');
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const SOURCES = '/etc/apt/sources.list';

/** Where the program of such a package is after unpacking. */
export function unpackedProgram({ name, command }) {
  return join(cache, name, 'usr', 'bin', command);
}

/** Downloads a package from the mirror that the machine uses; removes its files if that fails. */
export async function unpackPackage({ name, release }) {
  const mirror = debianMirror();
  if (mirror === undefined) return;
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, `${name}-`));
  try {
    const apt = privateApt(scratch, `deb [signed-by=${KEYRING}] ${mirror} ${release} main`);
    await succeed('apt-get', [...apt, 'update'], scratch);
    await succeed('apt-get', [...apt, 'download', name], scratch);
    const file = readdirSync(scratch).find((entry) => entry.endsWith('.deb'));
    await succeed('dpkg-deb', ['-x', file ?? '', 'unpacked'], scratch);
    rmSync(join(cache, name), { recursive: true, force: true });
    renameSync(join(scratch, 'unpacked'), join(cache, name));
  } catch (error) {
    console.log(error.message);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Options that restrict apt to one line of sources and to our own folders. */
function privateApt(folder, source) {
  for (const path of ['lists/partial', 'archives/partial']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'sources.list'), `${source}\n`);
  const settings = {
    'Dir::Etc::sourcelist': join(folder, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': folder,
    'APT::Sandbox::User': 'root',
    'Acquire::Check-Valid-Until': 'false',
    'Acquire::Languages': 'none',
  };
  return ['-qq', ...Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`])];
}

export function debianMirror() {
  const parts = `${SOURCES}.d`;
  const more = existsSync(parts) ? readdirSync(parts).map((name) => join(parts, name)) : [];
  const text = [SOURCES, ...more]
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  return /https?:\/\/\S+\/debian\/?(?=\s|$)/m.exec(lines.join('\n'))?.[0];
}

async function succeed(command, args, cwd) {
  const code = await run(command, args, { cwd, env: { ...process.env, LC_ALL: 'C' } });
  if (code !== 0) throw new Error(`${command} ended with ${code}.`);
}
