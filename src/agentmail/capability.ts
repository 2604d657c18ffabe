import type { OpenCapability } from '../capability.ts';
import type { Clock } from '../lib/clock.ts';
import type { PostOffice } from './delivery/post.ts';
import { listRecipients } from './operations/list-recipients.ts';
import { mailLog } from './operations/mail-log.ts';
import { rebuildIndex } from './operations/rebuild-index.ts';
import { receive } from './operations/receive.ts';
import { search } from './operations/search.ts';
import { send } from './operations/send.ts';
import { status } from './operations/status.ts';
import { thread } from './operations/thread.ts';
import type { Identities, LetterIndex, MailIndexer } from './ports.ts';
import { agentGrant } from './token-grants.ts';

export interface AgentmailParts {
  identities: Identities;
  post: Pick<PostOffice, 'send' | 'take' | 'recipients' | 'setStatus'>;
  index: LetterIndex;
  clock: Clock;
}

export interface IndexParts {
  index: LetterIndex;
  indexer: MailIndexer;
}

/** Mail between agents: what callers are offered. */
export function agentmailOffer(parts: AgentmailParts & IndexParts) {
  return {
    operations: [send, receive, status, listRecipients, search, mailLog, thread, rebuildIndex],
    grants: [agentGrant],
    parts,
  } satisfies OpenCapability;
}
