import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** The output of `npm run build`. */
export const programPath = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');

export interface ProgramOptions {
  home?: string;
  /** Its first module; by default the output of `npm run build`. */
  main?: string;
  env?: Record<string, string>;
  /** Written to standard input, which is then closed. */
  stdin?: string;
  cwd?: string;
  /** The user it runs as; only root can choose another one. */
  user?: number;
}

export interface ProgramResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the built program without the configuration of the test process in its environment. */
export function startProgram(args: readonly string[], options: ProgramOptions = {}): ChildProcessWithoutNullStreams {
  const { cwd, main = programPath, user } = options;
  return spawn(process.execPath, [main, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    ...(user === undefined ? {} : { uid: user, gid: user }),
    // Another user cannot write to the folder for coverage.
    env: { ...programEnvironment(options), ...(user === undefined ? {} : { NODE_V8_COVERAGE: '' }) },
  });
}

/** Runs the built program until it exits. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}): Promise<ProgramResult> {
  const program = startProgram(args, options);
  // A program that does not read its input may exit before it is written.
  program.stdin.on('error', () => {});
  program.stdin.end(options.stdin ?? '');
  const [stdout, stderr, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'close'),
  ]);
  return { code, stdout, stderr };
}

/** The environment of the program, without the configuration of the test process. */
export function programEnvironment({ home, env }: Pick<ProgramOptions, 'home' | 'env'>): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'NODE_V8_COVERAGE'];
  const inherited = Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  return { ...inherited, ...(home === undefined ? {} : { SWITCHBOARD_HOME: home }), ...env };
}
