import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../domain/errors.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { LABEL, launchdPlist, MARK, type ServiceProgram, systemdUnit, UNIT } from './definitions.ts';

interface Parts extends Omit<ServiceProgram, 'port'> {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  userHome: string;
  user?: number;
  /** The command `npx`, where we run from its cache. */
  npx?: string;
}

/** The service manager of one operating system, with the commands that start and stop a service. */
interface Manager {
  path: string;
  definition(port: number): string;
  up(isNew: boolean): readonly Step[];
  down: readonly Step[];
  forget: readonly Step[];
}

interface Step {
  command: readonly [string, ...string[]];
  /** It may fail, for example when there is nothing to stop. */
  maySkip?: boolean;
}

/** A program that does not answer is not waited for any longer. */
const LIMIT_MS = 30_000;

/** Switchboard as a service of the user, which runs while they are signed in. */
export function servicePort(parts: Parts) {
  const manager = parts.platform === 'darwin' ? launchd(parts) : systemd(parts);
  const { path } = manager;
  return {
    async preview(port: number) {
      return { path, text: manager.definition(port).trimEnd() };
    },

    async install(port: number) {
      if (parts.npx !== undefined) throw notInstalled();
      const wanted = manager.definition(port);
      const before = await ours(path);
      if (before !== wanted) await replaceFile(path, wanted, 0o644).catch(cannotWrite(path));
      const started = await runAll(manager.up(before !== wanted), path, parts.env);
      return { path, changed: before !== wanted, started };
    },

    async remove() {
      if ((await ours(path)) === undefined) {
        throw new AppError('NOT_FOUND', 'Switchboard is not installed as a service.');
      }
      await runAll(manager.down, path, parts.env);
      await rm(path, { force: true }).catch(cannotWrite(path));
      await runAll(manager.forget, path, parts.env);
      return { path };
    },
  };
}

function systemd({ env, userHome, ...program }: Parts): Manager {
  const folder = join(env.XDG_CONFIG_HOME || join(userHome, '.config'), 'systemd', 'user');
  const ask = (...words: string[]): Step => ({ command: ['systemctl', '--user', ...words] });
  return {
    path: join(folder, UNIT),
    definition: (port) => systemdUnit({ ...program, port }),
    up: (isNew) =>
      isNew ? [ask('daemon-reload'), ask('enable', UNIT), ask('restart', UNIT)] : [ask('enable', '--now', UNIT)],
    down: [{ ...ask('disable', '--now', UNIT), maySkip: true }],
    forget: [{ ...ask('daemon-reload'), maySkip: true }],
  };
}

function launchd({ userHome, user = process.getuid?.() ?? 0, ...program }: Parts): Manager {
  const path = join(userHome, 'Library', 'LaunchAgents', `${LABEL}.plist`);
  const down: Step = { command: ['launchctl', 'bootout', `gui/${user}/${LABEL}`], maySkip: true };
  return {
    path,
    definition: (port) => launchdPlist({ ...program, port }),
    up: () => [down, { command: ['launchctl', 'bootstrap', `gui/${user}`, path] }],
    down: [down],
    forget: [],
  };
}

/** A service would fail once the cache is emptied. */
function notInstalled(): AppError {
  return new AppError(
    'CONFLICT',
    'This Switchboard runs from the cache of npx, and a service needs one that is installed.',
    {
      hint: 'npm install -g agent-switchboard, and run this again with `switchboard`.',
    },
  );
}

/** The file as it is, where we wrote it. */
async function ours(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new AppError('FORBIDDEN', `${path} cannot be read.`, { cause: error });
  });
  if (text === undefined || text.includes(MARK)) return text;
  throw new AppError('CONFLICT', `${path} was not written by Switchboard; it was left as it is.`, {
    hint: 'Move it away, or put the service in by hand: `switchboard service install --print` shows it.',
  });
}

/** Whether the service manager is available. */
async function runAll(steps: readonly Step[], path: string, env: Parts['env']): Promise<boolean> {
  for (const { command, maySkip = false } of steps) {
    const [program, ...args] = command;
    try {
      await promisify(execFile)(program, args, { timeout: LIMIT_MS, env: { ...env } });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return false;
      if (!maySkip) throw failed(command, path, cause);
    }
  }
  return true;
}

function failed(command: readonly string[], path: string, cause: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `${path} is written, but \`${command.join(' ')}\` failed.`, {
    hint: 'Run that command to see why; then `switchboard service install` again.',
    cause,
  });
}

function cannotWrite(path: string): (cause: unknown) => never {
  return (cause) => {
    throw new AppError('FORBIDDEN', `${path} cannot be written.`, { cause });
  };
}
