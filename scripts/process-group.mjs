// Programs in separate process groups, so that the processes they leave behind can be ended with them.
import { spawn } from 'node:child_process';
import { root } from './checkout.mjs';

const running = new Set();

/** Runs a program and collects its output; processes of its group that remain at its exit, or at the timeout, are ended. */
export function runCaptured(command, args, { env, limit }) {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  if (child.pid !== undefined) running.add(child.pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const timer = setTimeout(() => {
    output += `\nnot finished after ${limit / 60_000} minutes\n`;
    signalGroup(child.pid, 'SIGKILL');
  }, limit);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // Remaining processes of the group may hold the streams open.
    child.on('exit', () => signalGroup(child.pid, 'SIGKILL'));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      running.delete(child.pid);
      resolve({ code: code ?? signal, output });
    });
  });
}

/** Ends all running groups: with SIGTERM, and after two seconds with SIGKILL. */
export async function stopGroups() {
  const pids = [...running];
  for (const pid of pids) signalGroup(pid, 'SIGTERM');
  const deadline = Date.now() + 2_000;
  while (pids.some(groupLives) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const pid of pids) signalGroup(pid, 'SIGKILL');
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
