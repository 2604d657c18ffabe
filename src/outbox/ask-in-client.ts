import { AskClient, type ClientAnswer } from '../domain/client-question.ts';
import { AppError } from '../domain/errors.ts';
import type { OutboxId } from '../domain/ids.ts';
import type { OutboxCaller, OutboxItem, OutboxSubmission } from '../domain/outbox.ts';
import { answerableIdentity } from '../domain/principal.ts';
import { quotedName } from '../lib/shown-name.ts';
import { approve } from './approve.ts';
import type { OutboxStore, WaitForAttempt } from './ports.ts';
import { isSameMessage } from './same-message.ts';
import { describeItem, type Senders } from './senders.ts';
import type { SessionReads } from './session-reads.ts';

export interface AskInClientParts {
  outbox: Pick<OutboxStore, 'find' | 'change'>;
  senders: Senders;
  waitForAttempt: WaitForAttempt;
  reads: Pick<SessionReads, 'approved' | 'keyOf'>;
  /** Whether the configuration allows it. */
  mayAsk(): Promise<boolean>;
}

type Caller = OutboxCaller & { signal: AbortSignal };

/** Approval of a held item by the person in front of the client that submitted it. */
export function createAskInClient(parts: AskInClientParts) {
  const { outbox, senders, reads, mayAsk } = parts;

  /**
   * The client chooses the id, so that it counts only for an item that this very caller has submitted, with the same content: it
   * could have answered that without claiming anything.
   */
  async function askedItem(id: string, submission: OutboxSubmission, caller: Caller): Promise<OutboxItem> {
    const item = await outbox.find(id as OutboxId);
    const isOwn =
      item?.identity === answerableIdentity(caller.principal) && item.session === (await reads.keyOf(caller));
    if (item && isOwn && isSubmitted(item, submission)) return item;
    throw new AppError('CONFLICT', 'This answer belongs to no held message of this session. Nothing was sent.');
  }

  async function settle(item: OutboxItem, answer: ClientAnswer, caller: Caller): Promise<OutboxItem> {
    if (item.state !== 'held' || !(await mayAsk())) return item;
    if (answer === 'accept')
      return approve(parts, item, { by: `${caller.principal.name}, in the client`, signal: caller.signal });
    if (answer === 'decline') return outbox.change(item.id, { kind: 'discard', reason: 'Declined in the client.' });
    return item;
  }

  return {
    /** The item of a call that a client repeats with the answer of its user; undefined for any other call. */
    async answered(submission: OutboxSubmission, caller: Caller): Promise<OutboxItem | undefined> {
      const answered = caller.asking?.answered;
      if (!answered) return undefined;
      return settle(await askedItem(answered.id, submission, caller), answered.answer, caller);
    },
    /** Throws AskClient where the item is held and the client can and may ask its user. */
    async ask(item: OutboxItem, caller: Caller): Promise<void> {
      if (item.state !== 'held' || !caller.asking || !(await mayAsk())) return;
      throw new AskClient({ id: item.id, text: questionAbout(item, senders) });
    },
  };
}

export type AskInClient = ReturnType<typeof createAskInClient>;

/** The text of the message is last: nothing in it can pass for ours. */
function questionAbout(item: OutboxItem, senders: Senders): string {
  const { text = item.summary, chat_id: chat, details = {} } = describeItem(senders, item) ?? {};
  const recipients = item.recipients.map(({ name }) => quotedName(name)).join(', ');
  const id = chat === undefined ? '' : ` (id ${quotedName(chat)})`;
  const facts = Object.entries(details).map(([name, value]) => ` ${name}: ${quotedName(value)}.`);
  return [
    `Send this message to ${recipients}${id} through ${item.through}? ${item.reason ?? ''}${facts.join('')}`,
    'The message is everything below this line.',
    '',
    text,
  ].join('\n');
}

function isSubmitted(item: OutboxItem, submission: OutboxSubmission): boolean {
  return item.sender === submission.sender && item.through === submission.through && isSameMessage(item, submission);
}
