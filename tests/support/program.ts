import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** What `npm run build` made. */
export const programPath = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');

export interface ProgramOptions {
  home?: string;
  /** Its first module; what `npm run build` made by default. */
  main?: string;
  env?: Record<string, string>;
  /** Written to standard input, which ends then. */
  stdin?: string;
  cwd?: string;
}

export interface ProgramResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the built program with nothing of our own configuration in its environment. */
export function startProgram(args: readonly string[], options: ProgramOptions = {}): ChildProcessWithoutNullStreams {
  const { cwd, main = programPath } = options;
  return spawn(process.execPath, [main, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: programEnvironment(options),
  });
}

/** Runs the built program to its end. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}): Promise<ProgramResult> {
  const program = startProgram(args, options);
  // A program that does not read its input is free to end before it is written.
  program.stdin.on('error', () => {});
  program.stdin.end(options.stdin ?? '');
  const [stdout, stderr, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'close'),
  ]);
  return { code, stdout, stderr };
}

/** The environment it is started with: nothing of our own configuration. */
export function programEnvironment({ home, env }: Pick<ProgramOptions, 'home' | 'env'>): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'NODE_V8_COVERAGE'];
  const inherited = Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  return { ...inherited, ...(home === undefined ? {} : { SWITCHBOARD_HOME: home }), ...env };
}
