import type { AgentmailStore } from '../../../agentmail/ports.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Database } from '../database.ts';
import { createFormerLetters } from './former-letters.ts';
import { createKnownRepositories } from './known-repositories.ts';
import { createLetterRecords } from './letter-records.ts';

export function openAgentmailStore(db: Database, clock: Clock): AgentmailStore {
  return {
    repositories: createKnownRepositories(db, clock),
    records: createLetterRecords(db),
    formerLetters: createFormerLetters(db),
  };
}
