// Paths in this checkout, and how to run programs from it. Runs on Node 20, imports no package.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const bin = join(root, 'node_modules', '.bin');
/** The Node that everything runs with, whichever one started the script. */
export const node = join(bin, 'node');

/** Environment in which `node` and the packages' commands are the checkout's own. */
export function checkoutEnv(extra = {}) {
  return { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`, ...extra };
}

/** Runs a program on our own terminal; resolves to its exit code. */
export function run(command, args, { cwd = root, env = checkoutEnv(), stdio = 'inherit' } = {}) {
  const child = spawn(command, args, { cwd, env, stdio });
  const release = passSignalsTo(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      release();
      resolve(code ?? 128 + (signal === 'SIGINT' ? 2 : signal === 'SIGTERM' ? 15 : 9));
    });
  });
}

/** Whether `dist` is missing or older than its sources. */
export function needsBuild() {
  const built = modified(join(root, 'dist', 'cli.js'));
  return ['src', 'scripts/build.mjs', 'scripts/bundle', 'package.json', 'package-lock.json'].some(
    (path) => newest(join(root, path)) > built,
  );
}

/** All files in a folder of the checkout, relative to the checkout. */
export function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

function newest(path) {
  const own = modified(path);
  if (!statSync(path).isDirectory()) return own;
  return Math.max(own, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function passSignalsTo(child) {
  const listeners = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => {
    // Ctrl-C in a terminal signals the whole foreground group, the child too: passing it on would signal it twice.
    const listener = () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal));
    process.on(signal, listener);
    return [signal, listener];
  });
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}
