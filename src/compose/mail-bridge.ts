import { createHash } from 'node:crypto';
import type { IndexedLetter, LetterIndex } from '../agentmail/ports.ts';
import { clampTimestamps } from '../chat/timestamps.ts';
import type { MessageStore } from '../chat/ports.ts';
import type { InboundEvent } from '../domain/chat.ts';
import type { Clock } from '../lib/clock.ts';

/** The source that agent mail is, among all others. */
export const AGENTMAIL = 'agentmail';
/** The person among the agents. */
export const HUMAN = 'human';

/** Writes of letters that come back, and reads none. */
const MAILMAN = 'mailman';

/** What was written so long ago is history, and nobody is told of it as news. */
const NEWS_MS = 10 * 60_000;
const AT_ONCE = 500;

interface BridgeParts {
  index: LetterIndex;
  messages: Pick<MessageStore, 'record'>;
  clock: Clock;
  /** There is agent mail now. */
  onMail(): Promise<void>;
}

/** An index of letters that brings each of them to chat, too: a mailbox is a chat there. */
export function bridgedIndex({ index, messages, clock, onMail }: BridgeParts): LetterIndex {
  async function bring(letters: readonly IndexedLetter[]): Promise<void> {
    const isNews = ({ createdAt = 0 }: IndexedLetter) => createdAt > clock.now() - NEWS_MS;
    const dated = letters.filter(({ createdAt }) => createdAt !== undefined);
    for (const origin of ['import', 'live'] as const) {
      const chosen = dated.filter((letter) => isNews(letter) === (origin === 'live'));
      const events = clampTimestamps([...writersOf(chosen), ...chosen.map(letterEvent)], clock.now());
      for (let from = 0; from < events.length; from += AT_ONCE) {
        await messages.record({ source: AGENTMAIL, events: events.slice(from, from + AT_ONCE), origin });
      }
    }
    if (dated.length > 0) await onMail();
  }

  return {
    ...index,
    // Chat first: what the index has marked as read is not read again.
    async add(letters, mark) {
      await bring(letters);
      await index.add(letters, mark);
    },
    async record(letter, passed) {
      await bring([letter]);
      await index.record(letter, passed);
    },
  };
}

/** Whoever wrote can be answered, though nobody has written to them yet. */
function writersOf(letters: readonly IndexedLetter[]): InboundEvent[] {
  const written = letters.filter(({ from }) => from !== MAILMAN);
  const writers = new Map(written.map(({ from, repository }) => [mailboxId(from, repository), from]));
  return [...writers].map(([id, name]) => ({ kind: 'chat', chat: { id, name, type: 'direct' } }));
}

/** A mailbox in words that no other repository's has. */
export function mailboxId(agent: string, repository: string): string {
  return `${agent}@${createHash('sha256').update(repository).digest('hex').slice(0, 8)}`;
}

/** The agent that a mailbox belongs to. */
export function agentOf(mailbox: string): string {
  return mailbox.slice(0, mailbox.lastIndexOf('@'));
}

/** A letter as chat knows it. */
export function letterEvent({
  repository,
  id,
  from,
  to,
  message,
  createdAt = 0,
  inReplyTo,
}: IndexedLetter): InboundEvent {
  return {
    kind: 'message',
    message: {
      chat: { id: mailboxId(to, repository), name: to, type: 'direct' },
      id,
      sender: { id: from, name: from },
      isOwn: from === HUMAN,
      text: message,
      at: createdAt,
      ...(inReplyTo === undefined ? {} : { replyTo: inReplyTo }),
    },
  };
}
