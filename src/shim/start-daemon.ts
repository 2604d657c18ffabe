import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { daemonLog } from '../lib/daemon-address.ts';
import { makeFolder } from '../lib/make-folder.ts';

export interface StartedDaemon {
  child: ChildProcess;
  /** The position in its log where its output begins. */
  logFrom: number;
}

const LARGEST_LOG = 10 * 1024 * 1024;

/** Starts a detached daemon. It takes the home's lock or exits, so several may be started concurrently. */
export function startDaemon(home: string, program: string): StartedDaemon {
  const log = openLog(daemonLog(home));
  try {
    const logFrom = fstatSync(log).size;
    const child = spawn(process.execPath, [program, 'daemon', 'run', '--json'], {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: '/',
      env: { ...withoutTmux(process.env), SWITCHBOARD_HOME: home },
    });
    child.unref();
    return { child, logFrom };
  } finally {
    closeSync(log);
  }
}

function openLog(path: string): number {
  makeFolder(dirname(path));
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (size > LARGEST_LOG) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** A daemon serves agents of many panes: it must not believe that it is in one. */
function withoutTmux(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TMUX')));
}
