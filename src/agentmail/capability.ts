import type { Origin } from '../domain/origin.ts';
import type { Clock } from '../lib/clock.ts';
import type { Capability } from '../operation.ts';
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

/** Mail between agents. */
export function agentmailCapability(parts: AgentmailParts & IndexParts, work: AgentmailWork): Capability {
  return {
    name: 'agentmail',
    invalidInput: 'VALIDATION_ERROR',
    operations: [send, receive, status, listRecipients, search, mailLog, thread, rebuildIndex],
    parts,
    ...work,
  };
}

/** What goes on beside the calls, in the process that owns the home. */
export interface AgentmailWork {
  start(): Promise<void>;
  stop(): Promise<void>;
  isBusy(): boolean;
  welcome(origin: Origin): void;
}
