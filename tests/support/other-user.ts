import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** A user that is not the one of the tests. Only root can become another one. */
export const OTHER_USER = 65_533;
/** The user for which the kernel shows all users that it cannot name. */
export const NOBODY = 65_534;
export const NEEDS_ROOT = process.getuid?.() === 0 ? {} : { skip: 'only root can start processes of another user' };

export interface OtherAnswer {
  status: number;
  body: string;
}

/** Requests of a process of another user, one after the other. */
export function fetchAs(
  user: number,
  requests: readonly [url: string, init?: RequestInit][],
): Promise<readonly OtherAnswer[]> {
  return runAs<readonly OtherAnswer[]>(
    user,
    `const answers = [];
    for (const [url, init] of input) {
      const response = await fetch(url, init);
      answers.push({ status: response.status, body: await response.text() });
    }
    return answers;`,
    requests,
  );
}

/** Runs the body of an async function of `input` in a process of another user; returns its result. */
export async function runAs<T>(user: number, body: string, input: unknown): Promise<T> {
  const script = `(async (input) => {${body}})(${JSON.stringify(input)}).then(
    (result) => console.log(JSON.stringify(result) ?? 'null'))`;
  const child = spawn(process.execPath, ['-e', script], {
    uid: user,
    gid: user,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`the process of user ${user} failed:\n${stderr}`);
  return JSON.parse(stdout) as T;
}
