import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** Starts a daemon that outlives us. It takes the home's lock or ends, so that several may be started at once. */
export function startDaemon(home: string, program: string): ChildProcess {
  const logs = join(home, 'logs');
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const log = openSync(join(logs, 'daemon.log'), 'a', 0o600);
  const child = spawn(process.execPath, [program, 'daemon', 'run'], {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
    env: { ...withoutTmux(process.env), SWITCHBOARD_HOME: home },
  });
  child.unref();
  return child;
}

/** A daemon serves agents of many panes: it must not believe that it is in one. */
function withoutTmux(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TMUX')));
}
