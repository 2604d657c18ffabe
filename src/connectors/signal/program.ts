import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { AppError } from '../../domain/errors.ts';
import { childEnvironment } from '../../lib/child-environment.ts';
import { createProcessGuard } from '../../lib/process-guard.ts';
import { rejected } from '../outcome-error.ts';
import type { SignalSettings } from './settings.ts';

/** A signal-cli that we have started. */
export interface SignalProgram {
  write(line: string): void;
  /** Resolves with the reason when it has ended. */
  ended: Promise<Error>;
  stop(): Promise<void>;
}

/** What signal-cli writes to stderr is kept up to so many characters. */
const MAX_SAID = 8_000;
/** It ends by itself when its input ends; then it is told to, and then it is killed. */
const INPUT_END_MS = 2_000;
const TERMINATE_MS = 1_000;
const JAVA_VARIABLES = ['JAVA_HOME', 'JAVA_OPTS', 'SIGNAL_CLI_OPTS'];

const MISSING =
  'signal-cli was not found: install it, or set `program` to its path or `endpoint` to the address of a running one.';
const NO_JAVA =
  'signal-cli needs Java, which was not found: install a Java runtime, or the native build of signal-cli.';
const OLD_JAVA = 'signal-cli needs a newer Java runtime than the installed one.';
const IN_USE =
  'Another signal-cli uses the account: set `endpoint` to its address, or stop it, and Switchboard starts its own.';

/** Starts signal-cli in a process group of its own; `output` is the descriptor for what it answers. */
export async function startProgram(
  { program = 'signal-cli', data }: Pick<SignalSettings, 'program' | 'data'>,
  output: number,
): Promise<SignalProgram> {
  const child = spawn(
    program,
    [...(data === undefined ? [] : ['--config', data]), 'jsonRpc', '--receive-mode=manual'],
    { stdio: ['pipe', output, 'pipe'], detached: true, cwd: '/', env: environment() },
  );
  const guard = createProcessGuard();
  const ended = Promise.withResolvers<Error>();
  let said = '';
  child.stdin?.on('error', () => {});
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + stripVTControlCharacters(text)).slice(-MAX_SAID);
    if (said.includes('in use by another instance')) ended.resolve(new AppError('NETWORK_ERROR', IN_USE));
  });
  child.once('error', (error: NodeJS.ErrnoException) => {
    const isMissing = error.code === 'ENOENT' || error.code === 'EACCES';
    ended.resolve(isMissing ? rejected(MISSING, { cause: error }) : error);
  });
  const exited = once(child, 'close').catch(() => {});
  void exited.then(() => ended.resolve(endReason(child, said)));
  if (child.pid !== undefined) guard.add(child.pid);

  return {
    write: (line) => void child.stdin?.write(line),
    ended: ended.promise,
    async stop() {
      child.stdin?.end();
      if (!(await within(INPUT_END_MS, exited))) {
        signalGroup(child, 'SIGTERM');
        if (!(await within(TERMINATE_MS, exited))) signalGroup(child, 'SIGKILL');
      }
      if (child.pid !== undefined) guard.remove(child.pid);
      await guard.close();
    },
  };
}

function endReason({ exitCode, signalCode }: ChildProcess, said: string): Error {
  if (/UnsupportedClassVersionError/.test(said)) return rejected(OLD_JAVA, { cause: said });
  if (/JAVA_HOME|\bjava\b.*not found|no 'java' command/i.test(said)) return rejected(NO_JAVA, { cause: said });
  return new AppError('NETWORK_ERROR', `signal-cli ended by itself (${signalCode ?? `code ${exitCode}`}).`, {
    cause: said,
  });
}

/** Programs of the user may be where a service does not look. */
function environment(): Record<string, string> {
  const env = childEnvironment(process.env, { also: JAVA_VARIABLES });
  return { ...env, PATH: [env.PATH, '/usr/local/bin', '/opt/homebrew/bin'].filter(Boolean).join(delimiter) };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {}
}

async function within(milliseconds: number, event: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const late = pause(milliseconds, false, { signal: over.signal }).catch(() => false);
  try {
    return await Promise.race([event.then(() => true), late]);
  } finally {
    over.abort();
  }
}
