// A Matrix homeserver (Synapse of Debian sid) in a chroot, for the tests: 530 MB, so that only soak runs install it. Runs on Node 20, imports no package.
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './checkout.mjs';
import { debianMirror } from './unpacked-packages.mjs';

const synapseRoot = process.env.SYNAPSE_ROOT || '/var/cache/synapse-sid';

/** Prefixes of the test files that need it. */
const suites = ['tests/integration/synapse', 'tests/e2e/synapse'];

/** Whether it is installed and can be started: `chroot` needs root. */
export function hasSynapse() {
  return process.getuid?.() === 0 && existsSync(join(synapseRoot, 'usr/lib/python3/dist-packages/synapse'));
}

export function needsSynapse(file) {
  return suites.some((path) => file.startsWith(path));
}

/** Installs it if it is missing; returns whether it is there. */
export async function setUpSynapse() {
  if (hasSynapse()) return true;
  const mirror = debianMirror();
  if (process.getuid?.() !== 0 || mirror === undefined) return false;
  console.log(`Installing Synapse in ${synapseRoot} …`);
  try {
    await install(mirror);
  } catch (error) {
    console.log(error.message);
  }
  return hasSynapse();
}

async function install(mirror) {
  const quiet = { env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }, stdio: 'ignore' };
  if (!existsSync('/usr/sbin/debootstrap')) {
    await succeed('apt-get', ['update', '-qq'], quiet);
    await succeed('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'debootstrap'], quiet);
  }
  mkdirSync(synapseRoot, { recursive: true });
  await succeed('debootstrap', ['--variant=minbase', '--no-check-gpg', 'sid', synapseRoot, mirror], quiet);
  prepare();
  await succeed('chroot', [synapseRoot, 'debconf-set-selections', '/srv/answers'], quiet);
  const proc = join(synapseRoot, 'proc');
  await run('mount', ['-t', 'proc', 'proc', proc], quiet);
  try {
    const packages = ['install', '-y', '-qq', '--no-install-recommends', 'matrix-synapse'];
    await succeed('chroot', [synapseRoot, 'apt-get', ...packages], quiet);
  } finally {
    await run('umount', [proc], quiet);
  }
}

/** The settings of apt on this machine, and no servers that start by themselves. */
function prepare() {
  const settings = 'etc/apt/apt.conf.d';
  for (const name of existsSync(`/${settings}`) ? readdirSync(`/${settings}`) : []) {
    cpSync(`/${settings}/${name}`, join(synapseRoot, settings, name), { dereference: true });
  }
  for (const path of ['etc/resolv.conf', 'etc/hosts', 'etc/ssl/certs/ca-certificates.crt']) {
    if (!existsSync(`/${path}`)) continue;
    mkdirSync(join(synapseRoot, path, '..'), { recursive: true });
    cpSync(`/${path}`, join(synapseRoot, path), { dereference: true });
  }
  const answers = ['server-name string hs.test', 'report-stats boolean false'];
  const lines = answers.map((answer) => `matrix-synapse matrix-synapse/${answer}\n`);
  writeFileSync(join(synapseRoot, 'srv/answers'), lines.join(''));
  writeFileSync(join(synapseRoot, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
}

async function succeed(command, args, options) {
  const code = await run(command, args, options);
  if (code !== 0) throw new Error(`${command} ended with ${code}.`);
}
