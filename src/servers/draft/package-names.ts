import type { PackageType } from '../../domain/server-config.ts';

/** A name that is only a name: no option, no address, no path. */
const NPM = /^(@[a-z\d~][\w.~-]*\/)?[a-z\d~_][\w.~-]*$/i;
const PYPI = /^[a-z\d]([\w.-]*[a-z\d])?(\[[\w.,-]+\])?$/i;
const IMAGE = /^[a-z\d][\w.-]*(:\d+)?(\/[a-z\d_][\w.-]*)*(:[\w][\w.-]{0,127})?(@sha256:[a-f\d]{64})?$/i;
const VERSION = /^[\w][\w.+!~-]*$/;
const MAX_LENGTH = 300;

/** Why a package cannot be run by its name, or undefined. */
export function packageProblem(type: PackageType, identifier: string, version?: string): string | undefined {
  const isName = type === 'npm' ? isNpmName : type === 'pypi' ? isPypiName : isImageName;
  if (!isName(identifier)) return 'the name of its package is malformed';
  return version && !isVersion(version) ? 'the version of its package is malformed' : undefined;
}

export function isNpmName(name: string): boolean {
  return name.length <= MAX_LENGTH && NPM.test(name);
}

export function isPypiName(name: string): boolean {
  return name.length <= MAX_LENGTH && PYPI.test(name);
}

export function isImageName(name: string): boolean {
  return name.length <= MAX_LENGTH && IMAGE.test(name);
}

export function isVersion(version: string): boolean {
  return version.length <= MAX_LENGTH && VERSION.test(version);
}

/** `name` or `name@version`; the scope of an npm package begins with an `@`, too. */
export function splitVersion(text: string): { identifier: string; version?: string } {
  const at = text.lastIndexOf('@');
  return at <= 0 ? { identifier: text } : { identifier: text.slice(0, at), version: text.slice(at + 1) };
}

export function isEnvName(name: string): boolean {
  return /^[A-Za-z_][\w.-]{0,199}$/.test(name);
}

export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name);
}
