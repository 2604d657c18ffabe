import { readFileSync } from 'node:fs';
import type { WindowKey } from '../agent.ts';

/** `<pid>:<start>` of `<pid>:<start>:@<window>`. */
function serverOf(key: WindowKey): string {
  return key.slice(0, key.lastIndexOf(':'));
}

/** Whether a window was certainly closed. `living` are all windows of the servers that answered. */
export function isWindowGone(key: WindowKey, living: readonly WindowKey[]): boolean {
  if (living.includes(key)) return false;
  const server = serverOf(key);
  return living.some((other) => serverOf(other) === server) || !mayBeServer(Number(server.split(':')[0]));
}

/** Whether this process may be a tmux server that was not queried. */
export function mayBeServer(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  if (process.platform !== 'linux') return true;
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('tmux');
  } catch {
    return false;
  }
}
