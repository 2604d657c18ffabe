// Prepares a fresh clone: `node scripts/setup.mjs [--tests]`. Runs on Node 20, imports no package.
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { node, root, run } from './checkout.mjs';
import { debianPackages } from './debian-packages.mjs';
import { unpackedProgram, unpackPackage } from './unpacked-packages.mjs';

/** Installs the npm packages if they are missing or differ from the lock file. */
export async function setUpPackages() {
  if (packagesAreCurrent()) return;
  console.log('Installing npm packages …');
  const code = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { env: process.env });
  if (code !== 0 || !existsSync(node)) {
    throw new Error(
      'The npm packages could not be installed. Check the network and the registry (`npm ping`), then run `npm ci` to see the whole error.',
    );
  }
}

/** Installs the Debian packages that the tests need if it has permission; returns those that are still missing. */
export async function setUpDebianPackages() {
  const missing = debianPackages.filter((entry) => !isThere(entry));
  if (missing.length === 0) return [];
  const names = missing.filter(({ release }) => release === undefined).map(({ name }) => name);
  if (names.length > 0 && process.getuid?.() === 0 && onPath('apt-get')) {
    console.log(`Installing ${names.join(', ')} …`);
    // In run level 1 Debian does not start the servers that it installs: the tests start their own.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    await run('apt-get', ['update', '-qq'], { env });
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { env });
  }
  for (const entry of missing.filter(({ release }) => release !== undefined && onPath('apt-get'))) {
    console.log(`Fetching ${entry.name} of Debian ${entry.release} …`);
    await unpackPackage(entry);
  }
  const still = missing.filter((entry) => !isThere(entry));
  for (const { name, suites } of still) {
    console.log(`Without ${name} these tests cannot run: ${suites.map((suite) => `${suite}*`).join(', ')}`);
  }
  return still;
}

// npm writes a record of what it installed; comparing its versions with the lock file needs no stamp file and does not depend on
// file times, which are wrong in a fresh clone or a restored cache.
function packagesAreCurrent() {
  const installed = packagesIn('node_modules/.package-lock.json');
  if (installed === undefined || !existsSync(node)) return false;
  const wanted = packagesIn('package-lock.json') ?? {};
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
  );
}

function packagesIn(lockFile) {
  const path = join(root, lockFile);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}

function isThere(entry) {
  return onPath(entry.command) || (entry.release !== undefined && isExecutable(unpackedProgram(entry)));
}

function onPath(command) {
  if (isAbsolute(command)) return isExecutable(command);
  return (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, command)));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    await setUpPackages();
    const missing = process.argv.includes('--tests') ? await setUpDebianPackages() : [];
    if (missing.length > 0 && process.env.CI === 'true') process.exitCode = 1;
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
