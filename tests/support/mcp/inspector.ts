import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { programEnvironment } from '../program.ts';

const INSPECTOR = join(
  import.meta.dirname,
  '../../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

export interface Inspected {
  code: number;
  result: Record<string, unknown> | undefined;
}

interface Surroundings {
  /** It stores its own files there. */
  userHome: string;
  cwd?: string;
}

/** One run of the inspector's command line. */
export async function inspectWith(
  { userHome, cwd }: Surroundings,
  target: readonly string[],
  ...args: string[]
): Promise<Inspected> {
  const child = spawn(process.execPath, [INSPECTOR, '--cli', ...target, ...args, '--format', 'json', '-q'], {
    ...(cwd === undefined ? {} : { cwd }),
    env: programEnvironment({ env: { HOME: userHome } }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code, result: stdout === '' ? undefined : JSON.parse(stdout).result };
}
