import { join } from 'node:path';
import { homeOf } from '../../lib/home-path.ts';
import { isOwnLetterIn } from '../../storage/sqlite/agentmail/store.ts';
import type { LetterProof } from '../ports.ts';

/** Whether the store of the home has recorded a letter as the user's. */
export function isOwnLetterOf(env: NodeJS.ProcessEnv, proof: LetterProof): boolean {
  return isOwnLetterIn(join(homeOf(env), 'switchboard.db'), proof);
}
