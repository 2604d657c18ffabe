import type { AgentmailStore } from '../../../agentmail/ports.ts';
import type { SqliteParts } from '../../definition.ts';
import { createLetterIndex } from '../letter-index.ts';
import { createRepositoryBook } from '../repository-book.ts';

export function open({ db, clock }: SqliteParts): AgentmailStore {
  return { letters: createLetterIndex(db, clock), repositories: createRepositoryBook(db, clock) };
}
