import { Console } from 'node:console';

/**
 * Redirects all console output to standard error: standard output belongs to the
 * protocol, and one stray line of a library would break it. Returns how to undo it.
 */
export function guardStdout(): () => void {
  const { console } = globalThis;
  const before = Object.entries(console).filter(([name, method]) => typeof method === 'function' && name !== 'Console');
  let replacement: Console | undefined;
  for (const [name] of before) {
    Object.assign(console, {
      // Created on first use, because opening standard error takes time that most processes need not spend.
      [name]: (...args: unknown[]) => {
        replacement ??= new Console({ stdout: process.stderr, stderr: process.stderr, ignoreErrors: true });
        const method: unknown = Reflect.get(replacement, name);
        return typeof method === 'function' ? Reflect.apply(method, replacement, args) : undefined;
      },
    });
  }
  return () => {
    Object.assign(console, Object.fromEntries(before));
  };
}
