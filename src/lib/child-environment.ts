import { delimiter, isAbsolute } from 'node:path';

/** What a program needs to run as this user. Everything else may be a secret of ours or of the program that started us. */
const PASSED: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TERM',
]);
const PASSED_PREFIXES = ['LC_', 'XDG_'] as const;

/**
 * The environment of a program that we start. Relative entries of PATH are left out: the working folder may be a
 * repository, which could contain a program of that name.
 */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  { also = [] }: { also?: readonly string[] } = {},
): Record<string, string> {
  const passed = Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || !(isPassed(name) || also.includes(name))) return [];
    return [[name, name === 'PATH' ? absoluteOnly(value) : value] as const];
  });
  return Object.fromEntries(passed);
}

function isPassed(name: string): boolean {
  return PASSED.has(name) || PASSED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function absoluteOnly(path: string): string {
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry))
    .join(delimiter);
}
