import { delimiter, isAbsolute } from 'node:path';

/** What a program needs to run as this user. Everything else may be a secret of ours or of the program that started us. */
const PASSED = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TERM|XDG_[A-Z_]+)$/;

/**
 * The environment of a program that we start. Relative entries of PATH are left out: the working folder may be a
 * repository, which could contain a program of that name.
 */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  { also = [] }: { also?: readonly string[] } = {},
): Record<string, string> {
  const passed = Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || !(PASSED.test(name) || also.includes(name))) return [];
    return [[name, name === 'PATH' ? absoluteOnly(value) : value] as const];
  });
  return Object.fromEntries(passed);
}

function absoluteOnly(path: string): string {
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry))
    .join(delimiter);
}
