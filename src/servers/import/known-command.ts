import type { ServerPackage } from '../../domain/server-config.ts';
import { isEnvName, isImageName, isNpmName, isPypiName, isVersion, splitVersion } from '../draft/package-names.ts';

/** A command as a package, with the arguments for the server and the variables that were among the arguments. */
export interface KnownCommand {
  package: ServerPackage;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Variables that a container gets from the environment of the command. */
  passed: readonly string[];
}

/**
 * Recognises a command that starts a package exactly as Switchboard would: `npx -y PACKAGE …`, `uvx PACKAGE …`,
 * `docker run -i --rm … IMAGE …`. Any other command stays as it is.
 */
export function knownCommand(command: string, args: readonly string[]): KnownCommand | undefined {
  if (command === 'npx' && /^(-y|--yes)$/.test(args[0] ?? '')) return packageOf('npm', args.slice(1));
  if (command === 'uvx') return packageOf('pypi', args);
  if (command === 'docker' && args[0] === 'run') return imageOf(args.slice(1));
  return undefined;
}

export function packageOf(type: 'npm' | 'pypi', [text = '', ...args]: readonly string[]): KnownCommand | undefined {
  const { identifier, version } = splitVersion(text);
  const isName = type === 'npm' ? isNpmName : isPypiName;
  if (!isName(identifier) || (version !== undefined && !isVersion(version))) return undefined;
  return { package: { type, identifier, ...(version === undefined ? {} : { version }) }, args, env: {}, passed: [] };
}

/** Options of `docker run` that are followed by a value. */
const WITH_VALUE = new Set([
  ...['-v', '--volume', '--mount', '--tmpfs', '-w', '--workdir', '-u', '--user', '--name', '-l', '--label'],
  ...['--network', '--net', '-p', '--publish', '--add-host', '--dns', '-h', '--hostname', '--entrypoint', '--env-file'],
  ...[
    '-m',
    '--memory',
    '--cpus',
    '--pids-limit',
    '--shm-size',
    '--ulimit',
    '--device',
    '--gpus',
    '--platform',
    '--pull',
  ],
  ...['--cap-add', '--cap-drop', '--security-opt', '--log-driver', '--restart', '--userns', '--ipc', '--pid'],
]);
const WITHOUT_VALUE = new Set(['--init', '--read-only', '--privileged', '--no-healthcheck', '-q', '--quiet']);

/** `docker run` options and an image. Variables among the options are given to the container by their names. */
export function imageOf(args: readonly string[]): KnownCommand | undefined {
  const usual = new Set<string>();
  const runtimeArgs: string[] = [];
  const env = new Map<string, string>();
  const passed: string[] = [];
  let at = 0;
  while (args[at]?.startsWith('-')) {
    const [option = '', attached] = splitOption(args[at] ?? '');
    const next = args[at + 1];
    if (option === '-e' || option === '--env') {
      const [name = '', value] = splitOption(attached ?? next ?? '');
      if (!isEnvName(name)) return undefined;
      if (value === undefined) passed.push(name);
      else env.set(name, value);
      at += attached === undefined ? 2 : 1;
    } else if (/^(-i|--interactive|--rm)$/.test(option) && attached === undefined) {
      usual.add(option === '--interactive' ? '-i' : option);
      at += 1;
    } else if (WITHOUT_VALUE.has(option) || (WITH_VALUE.has(option) && attached !== undefined)) {
      runtimeArgs.push(args[at] ?? '');
      at += 1;
    } else if (WITH_VALUE.has(option) && next !== undefined) {
      runtimeArgs.push(option, next);
      at += 2;
    } else return undefined;
  }
  const image = args[at];
  if (image === undefined || !isImageName(image) || usual.size < 2) return undefined;
  return {
    package: { type: 'docker', identifier: image, ...(runtimeArgs.length > 0 ? { runtime_args: runtimeArgs } : {}) },
    args: args.slice(at + 1),
    env: Object.fromEntries(env),
    passed,
  };
}

/** `--name=value`. */
function splitOption(text: string): [string, string?] {
  const at = text.indexOf('=');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
