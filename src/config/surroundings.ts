import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { homeOf } from './home.ts';

/** The paths of this program and its home, for files of other programs that start it. */
export async function surroundings({ home, env, clock }: { home: string; env: NodeJS.ProcessEnv; clock: Clock }) {
  const usual = homeOf({ HOME: env.HOME });
  const program = await realpath(process.argv[1] ?? '');
  return {
    platform: process.platform,
    env,
    clock,
    userHome: dirname(usual),
    node: process.execPath,
    program,
    ...(isInNpxCache(program) ? { npx: npxBeside(process.execPath) } : {}),
    ...(home === usual ? {} : { home }),
  };
}

/** npx, pnpm and bun keep what they run once in a cache, and may remove it. */
function isInNpxCache(program: string): boolean {
  return /\/(?:_npx|dlx(?:-[^/]+)?|bunx-[^/]+)\/(?:[^/]+\/)*node_modules\//.test(program);
}

function npxBeside(node: string): string {
  const beside = join(dirname(node), 'npx');
  return existsSync(beside) ? beside : 'npx';
}
