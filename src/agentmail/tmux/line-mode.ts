import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { childEnvironment } from '../../lib/child-environment.ts';

const TIMEOUT_MS = 2_000;

/**
 * Whether the program of a terminal reads whole lines that the terminal shows as they are typed. Programs that draw
 * their own fields read single keys, and one that asks for a password turns off the echo.
 */
export async function readsEchoedLines(tty: string): Promise<boolean> {
  if (!tty.startsWith('/dev/')) return false;
  const device = process.platform === 'linux' ? '-F' : '-f';
  try {
    const options = { timeout: TIMEOUT_MS, env: childEnvironment(process.env) };
    const { stdout } = await promisify(execFile)('stty', [device, tty, '-a'], options);
    return isLineMode(stdout);
  } catch {
    return false;
  }
}

/** A setting that is turned off has a dash before it. */
export function isLineMode(settings: string): boolean {
  const words = settings.split(/[\s;]+/);
  return words.includes('icanon') && words.includes('echo');
}
