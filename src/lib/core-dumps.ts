import { childEnvironment } from './child-environment.ts';

const TIMEOUT_MS = 5_000;

let disabled: Promise<void> | undefined;

/**
 * A core dump would write keys and messages to the disk. Node has no call for it; `prlimit` is part of every Linux
 * system. Where it is missing, and on macOS, whose default is no core dumps, the limit stays as it is.
 */
export function disableCoreDumps(): Promise<void> {
  disabled ??= process.platform === 'linux' ? setLimit() : Promise.resolve();
  return disabled;
}

async function setLimit(): Promise<void> {
  const { execFile } = await import('node:child_process');
  const args = ['--pid', String(process.pid), '--core=0:0'];
  const options = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', env: childEnvironment(process.env) } as const;
  await new Promise<void>((resolve) => void execFile('prlimit', args, options, () => resolve()));
}
