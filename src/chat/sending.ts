import type { LookOutcome, Outgoing, SendOutcome } from '../connectors/connector.ts';
import type { JsonObject } from '../domain/json.ts';
import type { OutboxItem, OutboxSender } from '../domain/outbox.ts';
import type { Log } from '../lib/log.ts';

/** Sends to the networks. A connection stores a sent message as the user's own: from the network's echo, or itself. */
export interface Sending {
  send(source: string, outgoing: Outgoing): Promise<SendOutcome>;
  wasSent(source: string, outgoing: Outgoing): Promise<LookOutcome>;
  /** The network's id of the direct chat with a user, if this text can be a user's address. */
  addressOf(source: string, text: string): Promise<string | undefined>;
}

export const CHAT = 'chat';

interface SenderParts extends Pick<Sending, 'send' | 'wasSent'>, Pick<OutboxSender, 'policyOf' | 'named' | 'mayRead'> {
  log: Log;
}

/** Sends the chat messages of the outbox. */
export function chatSender({ log, send, wasSent, ...parts }: SenderParts): OutboxSender {
  async function outcomeOf(item: OutboxItem): Promise<SendOutcome> {
    const outgoing = toOutgoing(item);
    if (!outgoing) return { kind: 'not-sent', reason: 'This is no chat message.', retry: false };
    return send(item.through, outgoing).catch((cause: unknown) => {
      return { kind: 'unknown', reason: 'The connection was lost while this was being sent.', cause };
    });
  }

  return {
    ...parts,
    kind: CHAT,
    sendsConcurrently: true,
    describe: ({ payload: { chat, text } }) => ({ chat_id: String(chat), text: String(text) }),
    async send(item) {
      const outcome = await outcomeOf(item);
      if (outcome.kind === 'sent') return withExternalId(outcome);
      const { kind, reason, cause } = outcome;
      log.warn({ err: cause, reason, source: item.through, outbox: item.id }, `a message has the outcome ${kind}`);
      return kind === 'not-sent' ? { kind, reason, retry: outcome.retry } : { kind, reason };
    },
    async look(item) {
      try {
        const outgoing = toOutgoing(item);
        if (!outgoing) return { kind: 'unknown' };
        const found = await wasSent(item.through, outgoing);
        return found.kind === 'sent' ? withExternalId(found) : { kind: found.kind };
      } catch (err) {
        log.debug({ err, source: item.through, outbox: item.id }, 'it could not be checked whether a message was sent');
        return { kind: 'unknown' };
      }
    },
  };
}

/** A chat message as the outbox stores it. */
export function toPayload({ chat, text, replyTo, asPerson }: Omit<Outgoing, 'id'>): JsonObject {
  return {
    chat,
    text,
    ...(replyTo === undefined ? {} : { reply_to: replyTo }),
    ...(asPerson ? { as_person: true } : {}),
  };
}

function toOutgoing({
  id,
  createdAt: since,
  payload: { chat, text, reply_to: replyTo, as_person: asPerson },
}: OutboxItem): Outgoing | undefined {
  if (typeof chat !== 'string' || typeof text !== 'string') return undefined;
  return {
    id,
    chat,
    text,
    ...(typeof replyTo === 'string' ? { replyTo } : {}),
    ...(asPerson === true ? { asPerson } : {}),
    since,
  };
}

function withExternalId({ id }: { id?: string }): { kind: 'sent'; externalId?: string } {
  return { kind: 'sent', ...(id === undefined ? {} : { externalId: id }) };
}
