import type { ErrorCode } from '../../domain/errors.ts';
import type { ServerConfig, ServerPackage } from '../../domain/server-config.ts';
import { quotedName } from '../../lib/shown-name.ts';
import { type Runtime, runtimeOf } from './runtime.ts';
import type { ProcessExit } from './server-process.ts';

export interface StartProblem {
  code: ErrorCode;
  message: string;
  hint?: string;
}

const NO_PACKAGE = 'Package not found';

/** What package runtimes write to stderr. Each begins a line that only they write, or is a sentence of theirs. */
const NPM_NOT_FOUND =
  /^(?:npm (?:ERR!|error) (?:code (?:E404|ETARGET|ENOVERSIONS)\b|404\b.* is not in (?:this|the npm) registry)|\s*ERR_PNPM_(?:FETCH_404|NO_MATCHING_VERSION|NO_VERSIONS)\b|error: (?:GET \S+ - 404|package "?[^"\s]+"? not found|No version matching ))/m;
const PYPI_NOT_FOUND =
  /was not found in the package registry|not found in the provided package locations|there (?:is|are) no versions? of /;
const DOCKER_DOWN =
  /Cannot connect to (?:the Docker daemon|Podman)|Is the docker daemon running|failed to connect to the docker API|docker: command not found|^(?:docker: )?error during connect: /im;
const DOCKER_REFUSED = /permission denied while trying to connect to the docker/i;
const IMAGE_NOT_FOUND =
  /^(?:docker: |Error response from daemon: |Error: ).*(?:pull access denied|manifest unknown|manifest for \S+ not found|repository does not exist|name unknown|requested access to the resource is denied|failed to resolve reference|no such image)/im;

/** Why a server did not start, where its runtime or the operating system says so; undefined for anything else. */
export function startProblem(
  config: ServerConfig,
  exit: ProcessExit | undefined,
  stderrTail: string,
): StartProblem | undefined {
  if (exit === undefined || exit.code === 0) return undefined;
  const runtime = runtimeOf(config.package);
  if (exit.error) return notStarted(config, runtime, exit.error);
  if (!runtime) return undefined;
  return runtime.isContainer
    ? containerProblem(config.package, runtime, stderrTail)
    : packageProblem(config.package, stderrTail);
}

function notStarted(
  config: ServerConfig,
  runtime: Runtime | undefined,
  { code, syscall }: NodeJS.ErrnoException,
): StartProblem | undefined {
  if (syscall === 'chdir') {
    return {
      code: 'NOT_FOUND',
      message: 'Working directory not found',
      hint: `Create ${quotedName(config.cwd ?? 'the home of Switchboard')}, or change cwd.`,
    };
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') return runtime ? noRuntime(runtime) : noProgram(config.package);
  if (code !== 'EACCES') return undefined;
  const program = quotedName(runtime?.command ?? config.package.identifier);
  return {
    code: 'SERVICE_UNAVAILABLE',
    message: `The program ${program} cannot be executed: permission denied`,
    hint: `Make it executable for this user (chmod +x), and check the permissions of its folder.`,
  };
}

function noRuntime({ command, install, isContainer }: Runtime): StartProblem {
  const missing = `The program ${command} was not found in PATH`;
  return isContainer
    ? { code: 'SERVICE_UNAVAILABLE', message: downMessage(command), hint: `${missing}. ${install}` }
    : { code: 'SERVICE_UNAVAILABLE', message: missing, hint: install };
}

function noProgram({ identifier }: ServerPackage): StartProblem {
  const where = identifier.includes('/') ? 'does not exist, or its interpreter does not' : 'was not found in PATH';
  return {
    code: 'NOT_FOUND',
    message: NO_PACKAGE,
    hint: `The program ${quotedName(identifier)} ${where}. Check package.identifier.`,
  };
}

function containerProblem(
  { identifier }: ServerPackage,
  { command }: Runtime,
  stderr: string,
): StartProblem | undefined {
  if (DOCKER_REFUSED.test(stderr)) {
    return {
      code: 'SERVICE_UNAVAILABLE',
      message: `${nameOf(command)} refuses this user`,
      hint: `Allow this user to use ${command}, for example by the group docker, and log in again.`,
    };
  }
  if (DOCKER_DOWN.test(stderr)) {
    return { code: 'SERVICE_UNAVAILABLE', message: downMessage(command), hint: `Start ${nameOf(command)}.` };
  }
  if (!IMAGE_NOT_FOUND.test(stderr)) return undefined;
  return {
    code: 'NOT_FOUND',
    message: NO_PACKAGE,
    hint: `No registry gave the image ${quotedName(identifier)}. Check its name and tag; a private one needs \`${command} login\`.`,
  };
}

function packageProblem({ type, identifier, version }: ServerPackage, stderr: string): StartProblem | undefined {
  // uv wraps its sentences.
  const isMissing = type === 'npm' ? NPM_NOT_FOUND.test(stderr) : PYPI_NOT_FOUND.test(stderr.replace(/\s+/g, ' '));
  if (!isMissing) return undefined;
  const name = quotedName(version === undefined ? identifier : `${identifier}@${version}`);
  return {
    code: 'NOT_FOUND',
    message: NO_PACKAGE,
    hint: `${type === 'npm' ? 'npm' : 'PyPI'} has no package ${name}. Check its name and version.`,
  };
}

function downMessage(command: string): string {
  return `${nameOf(command)} not running`;
}

function nameOf(command: string): string {
  return command === 'podman' ? 'Podman' : 'Docker';
}
