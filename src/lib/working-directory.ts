/** Where this process works; a folder that is gone is no reason to fail. */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}
