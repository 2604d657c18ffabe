import { createHash } from 'node:crypto';
import type { InboundEvent } from '../../domain/chat.ts';
import { isUnverified } from '../delivery/verified-sender.ts';
import type { IndexedLetter, LetterMessage } from '../ports.ts';
import { HUMAN } from '../user-name.ts';

/** The chat source that agent mail is. */
export const AGENTMAIL = 'agentmail';

/** Writes letters about undeliverable ones, and reads none. */
const MAILMAN = 'mailman';
/** Clocks differ, but not by more than this. */
const MAX_CLOCK_DIFFERENCE_MS = 24 * 3_600_000;
/** The timestamp of a letter that has none: mail of old versions. */
const UNDATED = 0;

/** The id of the chat that a mailbox is: the agent's name, and which repository it is in. */
export function mailboxId(agent: string, repository: string): string {
  return `${agent}@${repositoryKey(repository)}`;
}

/** Suffix of the ids of all mailboxes of a repository. */
export function repositoryKey(repository: string): string {
  return createHash('sha256').update(repository).digest('hex').slice(0, 8);
}

/** The agent that a mailbox belongs to. */
export function agentOf(mailbox: string): string {
  return mailbox.slice(0, mailbox.lastIndexOf('@'));
}

export function repositoryKeyOf(mailbox: string): string {
  return mailbox.slice(mailbox.lastIndexOf('@') + 1);
}

/** Every sender can receive a reply, also one that has received nothing yet. */
export function writerEvents(letters: readonly IndexedLetter[]): InboundEvent[] {
  const written = letters.filter(({ from }) => from !== MAILMAN && !isUnverified(from));
  const writers = new Map(written.map(({ from, repository }) => [mailboxId(from, repository), from]));
  return [...writers].map(([id, name]) => ({ kind: 'chat', chat: { id, name, type: 'direct' } }));
}

export function letterEvent(
  { repository, id, from, to, message, createdAt = UNDATED }: IndexedLetter,
  now: number,
): InboundEvent {
  return {
    kind: 'message',
    message: {
      chat: { id: mailboxId(to, repository), name: to, type: 'direct' },
      id,
      sender: { id: from, name: from },
      // The index has verified the sender.
      isOwn: from === HUMAN,
      text: message,
      // A letter with a future timestamp would remain the newest one.
      at: createdAt > now + MAX_CLOCK_DIFFERENCE_MS ? now : createdAt,
    },
  };
}

export function toLetter(
  { chat, externalId, sender, text, at }: LetterMessage,
  { repository, inReplyTo }: { repository: string; inReplyTo: string | undefined },
): IndexedLetter {
  return {
    repository,
    id: externalId,
    from: sender.id,
    to: agentOf(chat.id),
    message: text,
    ...(at === UNDATED ? {} : { createdAt: at }),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
  };
}
