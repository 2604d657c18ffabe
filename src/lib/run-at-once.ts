import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { childEnvironment } from './child-environment.ts';

export interface RunLimits {
  timeoutMs: number;
  maxBytes: number;
}

export interface Ran {
  /** Missing where it could not be run to its end. */
  status?: number;
  /** The error code, such as `ENOENT` or `ETIMEDOUT`. */
  failure?: string;
  stdout: string;
}

/** The internal binding that Node's own `spawnSync` calls. */
interface SpawnSync {
  spawn(options: object): { status: number | null; error?: number; output?: readonly (Buffer | null)[] | null };
}

/** The Node versions whose internals are known here. */
const KNOWN_NODE = /^24\./;

/**
 * Runs a program and waits for it, for commands that are over sooner than `node:child_process` is loaded: that module
 * loads networking, which takes a tenth of their time. With other versions of Node `spawnSync` is used.
 */
export function runAtOnce(file: string, args: readonly string[], limits: RunLimits): Ran {
  const inner = KNOWN_NODE.test(process.versions.node) ? innerSpawn() : undefined;
  return inner ? runInner(inner, file, args, limits) : runWithModule(file, args, limits);
}

export function runWithModule(file: string, args: readonly string[], { timeoutMs, maxBytes }: RunLimits): Ran {
  const { error, status, stdout } = spawnSync(file, args, {
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: maxBytes,
    encoding: 'utf8',
    env: childEnvironment(process.env),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const failure = (error as NodeJS.ErrnoException | undefined)?.code;
  return {
    stdout: stdout ?? '',
    ...(failure === undefined ? {} : { failure }),
    ...(status === null ? {} : { status }),
  };
}

function runInner(inner: SpawnSync, file: string, args: readonly string[], { timeoutMs, maxBytes }: RunLimits): Ran {
  const { status, error, output } = inner.spawn({
    file,
    args: [file, ...args],
    envPairs: Object.entries(childEnvironment(process.env)).map(([name, value]) => `${name}=${value}`),
    stdio: [{ type: 'ignore' }, { type: 'pipe', readable: false, writable: true }, { type: 'ignore' }],
    timeout: timeoutMs,
    killSignal: constants.signals.SIGKILL,
    maxBuffer: maxBytes,
  });
  return {
    stdout: output?.[1]?.toString('utf8') ?? '',
    ...(error === undefined ? {} : { failure: nameOfError(-error) }),
    ...(status === null ? {} : { status }),
  };
}

function innerSpawn(): SpawnSync | undefined {
  try {
    const binding: unknown = Reflect.get(process, 'binding');
    return typeof binding === 'function' ? (Reflect.apply(binding, process, ['spawn_sync']) as SpawnSync) : undefined;
  } catch {
    return undefined;
  }
}

function nameOfError(code: number): string {
  return Object.entries(constants.errno).find(([, value]) => value === code)?.[0] ?? `E${code}`;
}
