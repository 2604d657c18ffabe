import { execFile } from 'node:child_process';
import { childEnvironment } from '../../lib/child-environment.ts';
import { NOTICE } from './notice.ts';

const TIMEOUT_MS = 10_000;

/**
 * Queues a message for a Codex session, which begins a turn with it. Only for one in a terminal: messages queued for
 * `codex exec` can get lost.
 */
export async function queueForCodex(thread: string, env: NodeJS.ProcessEnv): Promise<{ queued: boolean; why: string }> {
  if (!/^[0-9A-Za-z][0-9A-Za-z-]{7,63}$/.test(thread)) return { queued: false, why: 'its thread id is invalid' };
  const { promise, resolve } = Promise.withResolvers<{ queued: boolean; why: string }>();
  const args = ['queue', '--thread', thread, '--message', NOTICE];
  const options = {
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    env: childEnvironment(env, { also: ['CODEX_HOME'] }),
    cwd: '/',
  } as const;
  const child = execFile('codex', args, options, (error) => {
    resolve(
      error
        ? { queued: false, why: `codex queue failed (${error.code ?? 'no exit code'})` }
        : { queued: true, why: '' },
    );
  });
  child.stdin?.end();
  return promise;
}

/** Whether this command line is an interactive Codex. */
export function isCodexTerminal(name: string, command: readonly string[]): boolean {
  return name === 'codex' && !command.includes('exec');
}
