/** The working directory of this process; a removed folder is not an error. */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}
