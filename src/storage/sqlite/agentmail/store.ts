import type { AgentmailStore } from '../../../agentmail/ports.ts';
import type { SqliteParts } from '../../definition.ts';
import { createFormerLetters } from './former-letters.ts';
import { createKnownRepositories } from './known-repositories.ts';
import { createLetterRecords } from './letter-records.ts';
import { createOwnLetters } from './own-letters.ts';

export { isOwnLetterIn } from './own-letters.ts';

export function open({ db, clock }: SqliteParts): AgentmailStore {
  return {
    repositories: createKnownRepositories(db, clock),
    records: createLetterRecords(db),
    formerLetters: createFormerLetters(db),
    ownLetters: createOwnLetters(db, clock),
  };
}
