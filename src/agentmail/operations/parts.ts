import type { Clock } from '../../lib/clock.ts';
import type { PostOffice } from '../delivery/post.ts';
import type { Identities, LetterIndex, MailIndexer } from '../ports.ts';

/** What operations of one agent need. */
export interface AgentmailParts {
  identities: Identities;
  post: Pick<PostOffice, 'send' | 'take' | 'recipients' | 'setStatus'>;
  index: LetterIndex;
  clock: Clock;
}

/** What operations on the letters of all agents need. */
export interface IndexParts {
  index: LetterIndex;
  indexer: MailIndexer;
}
