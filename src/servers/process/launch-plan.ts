import { isAbsolute, join, resolve } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { ServerConfig, ServerPackage } from '../../domain/server-config.ts';
import { type Runtime, runtimeOf } from './runtime.ts';
import { searchPath } from './search-path.ts';
import type { LaunchPlan } from './server-process.ts';

/** Variables of the daemon that package runtimes need, beside those of every child: `childEnvironment(env, { also })`. */
export const RUNTIME_VARIABLES = [
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const;

export interface LaunchValues {
  /** Variables with their values, secrets included. */
  env: Readonly<Record<string, string>>;
  /** Instead of the configured arguments, where these contain references. */
  args?: readonly string[];
}

export interface Surroundings {
  /** Home of Switchboard: the working directory of a server that has none of its own. */
  home: string;
  /** Environment that every child gets: the result of `childEnvironment`. */
  base: Readonly<Record<string, string>>;
}

/** How a server that runs on this machine is started. Values of variables are in its environment, never in arguments. */
export function launchPlan(config: ServerConfig, values: LaunchValues, { home, base }: Surroundings): LaunchPlan {
  const { package: pack } = config;
  checkIdentifier(pack);
  checkVariables(values.env);
  const userHome = base.HOME;
  const cwd = config.cwd === undefined ? home : folderOf(config.cwd, userHome);
  const args = values.args ?? config.args;
  const env = { ...base, PATH: searchPath(base.PATH, userHome), ...values.env };
  const runtime = runtimeOf(pack);
  if (!runtime) return { command: programOf(config, cwd, userHome), args, cwd, env };
  return {
    command: runtime.command,
    args: [...runtime.args, ...variablesOf(runtime, values.env), ...(pack.runtime_args ?? []), specOf(pack), ...args],
    cwd,
    env,
    ...(runtime.isContainer ? { isContainer: true as const } : {}),
  };
}

function checkIdentifier({ type, identifier }: ServerPackage): void {
  const field = 'package.identifier';
  if (type === 'http') throw new Error('a remote server has no process');
  if (identifier.trim() === '') throw new AppError('VALIDATION_ERROR', 'Package identifier required', { field });
  if (identifier.startsWith('-') || identifier.includes('\0')) {
    throw new AppError('VALIDATION_ERROR', 'A package identifier cannot begin with "-" or contain a null character.', {
      field,
    });
  }
}

function checkVariables(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (/^[^-=\s\0][^=\s\0]*$/.test(name) && !value.includes('\0')) continue;
    throw new AppError('VALIDATION_ERROR', 'The name or the value of a variable cannot be passed to a process.', {
      field: 'env_vars',
      hint: 'A name has no "=" and no space and does not begin with "-"; a value has no null character.',
    });
  }
}

/** Names only: docker takes the values from its own environment, so that they are in no process list. */
function variablesOf(runtime: Runtime, env: Readonly<Record<string, string>>): string[] {
  return runtime.isContainer ? Object.keys(env).flatMap((name) => ['-e', name]) : [];
}

/** The package with its version, unless the identifier already has one. */
function specOf({ type, identifier, version }: ServerPackage): string {
  if (!version) return identifier;
  if (type === 'docker') return hasTag(identifier) ? identifier : `${identifier}:${version}`;
  // An npm scope begins with @; a requirement or a URL is complete in itself.
  const hasVersion = type === 'pypi' ? /[@=<>~!:]/.test(identifier) : /[@:]/.test(identifier.slice(1));
  return hasVersion ? identifier : `${identifier}@${version}`;
}

/** A colon before the last slash belongs to the port of a registry. */
function hasTag(image: string): boolean {
  return image.includes('@') || image.slice(image.lastIndexOf('/') + 1).includes(':');
}

function programOf({ package: { identifier }, cwd: configured }: ServerConfig, cwd: string, userHome?: string): string {
  const path = expanded(identifier, userHome);
  if (isAbsolute(path) || !path.includes('/')) return path;
  if (configured !== undefined) return resolve(cwd, path);
  throw new AppError('VALIDATION_ERROR', 'A relative path of a program needs a working directory.', {
    field: 'package.identifier',
    hint: 'Write the absolute path, or set cwd.',
  });
}

function folderOf(cwd: string, userHome: string | undefined): string {
  const folder = expanded(cwd, userHome);
  if (isAbsolute(folder)) return folder;
  throw new AppError('VALIDATION_ERROR', 'The working directory must be an absolute path.', { field: 'cwd' });
}

function expanded(path: string, userHome: string | undefined): string {
  if (userHome === undefined) return path;
  return path === '~' || path.startsWith('~/') ? join(userHome, path.slice(1)) : path;
}
