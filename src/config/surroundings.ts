import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { homeOf } from './home.ts';

/** The paths of this program and its home, for files of other programs that start it. */
export async function surroundings({ home, env, clock }: { home: string; env: NodeJS.ProcessEnv; clock: Clock }) {
  const usual = homeOf({ HOME: env.HOME });
  return {
    platform: process.platform,
    env,
    clock,
    userHome: dirname(usual),
    node: process.execPath,
    program: await realpath(process.argv[1] ?? ''),
    ...(home === usual ? {} : { home }),
  };
}
