// Programs in process groups of their own, so that what they leave behind can be ended with them.
import { spawn } from 'node:child_process';
import { root } from './checkout.mjs';

const running = new Set();

/** Runs a program on our terminal; whatever of its group is left at its end, or at the limit, is ended. */
export async function runInGroup(command, args, { env, limit }) {
  const child = start(command, args, env, ['ignore', 'inherit', 'inherit']);
  const timer = setTimeout(() => {
    console.log(`  ✗ not finished after ${limit / 60_000} minutes`);
    signalGroup(child.pid, 'SIGKILL');
  }, limit);
  const code = await ended(child);
  clearTimeout(timer);
  return code;
}

/** Runs a program and keeps what it prints. */
export async function runCaptured(command, args, env) {
  const child = start(command, args, env, ['ignore', 'pipe', 'pipe']);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return { code: await ended(child), output };
}

/** Ends all that still runs: politely, and after two seconds for good. */
export async function stopGroups() {
  const pids = [...running];
  for (const pid of pids) signalGroup(pid, 'SIGTERM');
  const deadline = Date.now() + 2_000;
  while (pids.some(groupLives) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const pid of pids) signalGroup(pid, 'SIGKILL');
}

function start(command, args, env, stdio) {
  const child = spawn(command, args, { cwd: root, env, stdio, detached: true });
  if (child.pid !== undefined) running.add(child.pid);
  return child;
}

function ended(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      running.delete(child.pid);
      signalGroup(child.pid, 'SIGKILL');
      resolve(code ?? signal);
    });
  });
}

function groupLives(pid) {
  return signalGroup(pid, 0);
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}
