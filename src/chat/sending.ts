import type { LookOutcome, Outgoing, SendOutcome, Sent } from '../connectors/connector.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Attempt, NewOutboxItem, OutboxItem, OutboxSender } from '../domain/outbox.ts';
import { type PolicyLevel, verdictOn } from '../domain/policy.ts';
import type { Log } from '../lib/log.ts';

/** The way out of the house. A connection stores what it has sent, as the user's own: by the network's echo, or by itself. */
export interface Sending {
  send(source: string, outgoing: Outgoing): Promise<SendOutcome>;
  wasSent(source: string, outgoing: Outgoing): Promise<LookOutcome>;
  /** The network's id for what somebody wrote, where it can be the address of somebody there. */
  addressOf(source: string, text: string): Promise<string | undefined>;
}

/** The outbox, as far as whoever sends needs it. */
export interface Departures {
  /** Puts it into the outbox, and waits a few seconds for what becomes of it. */
  submit(outgoing: NewOutboxItem, signal: AbortSignal): Promise<OutboxItem>;
  /** The general policy and the source's own. */
  policies(source: string): Promise<readonly PolicyLevel[]>;
}

export const CHAT = 'chat';

interface SenderParts extends Pick<Sending, 'send' | 'wasSent'>, Pick<Departures, 'policies'> {
  log: Log;
}

/**
 * Takes chat messages out of the outbox to their networks. What must not leave by the policy of this moment does not, whatever
 * it said when the message was written or approved.
 */
export function chatSender({ log, policies, ...sending }: SenderParts): OutboxSender {
  async function denial({ through: source, payload: { chat, to } }: OutboxItem): Promise<string | undefined> {
    const recipient = { source, id: String(chat), name: String(to ?? chat) };
    const verdict = verdictOn(await policies(source), [recipient]);
    return verdict.kind === 'deny' ? verdict.reason : undefined;
  }

  async function sendUnlessDenied(item: OutboxItem): Promise<SendOutcome> {
    try {
      const reason = await denial(item);
      if (reason !== undefined) return { kind: 'not-sent', reason, retry: false };
    } catch (cause) {
      return { kind: 'not-sent', reason: 'The policy could not be read.', retry: true, cause };
    }
    const outgoing = toOutgoing(item);
    if (!outgoing) return { kind: 'not-sent', reason: 'This is no chat message.', retry: false };
    return sending.send(item.through, outgoing).catch((cause: unknown) => {
      return { kind: 'unknown', reason: 'The connection was lost while this was being sent.', cause };
    });
  }

  return {
    kind: CHAT,
    async send(item): Promise<Attempt> {
      const outcome = await sendUnlessDenied(item);
      if (outcome.kind === 'sent') return sentAs(outcome);
      const { kind, reason, cause } = outcome;
      log.warn(
        { err: cause, reason, source: item.through, outbox: item.id },
        'a message was not sent, or it is not known',
      );
      return kind === 'not-sent' ? { kind, reason, retry: outcome.retry } : { kind, reason };
    },
    async look(item) {
      try {
        // Some networks are asked by sending it once more.
        if ((await denial(item)) !== undefined) return 'unknown';
        const outgoing = toOutgoing(item);
        if (!outgoing) return 'unknown';
        const found = await sending.wasSent(item.through, outgoing);
        return found.kind === 'sent' ? sentAs(found) : found.kind;
      } catch (err) {
        log.debug({ err, source: item.through, outbox: item.id }, 'nobody can tell whether a message has arrived');
        return 'unknown';
      }
    },
  };
}

/** What the outbox keeps of a chat message. */
export function toPayload({ chat, text, replyTo }: Omit<Outgoing, 'id'>, to: string): JsonObject {
  return { chat, to, text, ...(replyTo === undefined ? {} : { reply_to: replyTo }) };
}

function toOutgoing({
  id,
  createdAt: since,
  payload: { chat, text, reply_to: replyTo },
}: OutboxItem): Outgoing | undefined {
  if (typeof chat !== 'string' || typeof text !== 'string') return undefined;
  return { id, chat, text, ...(typeof replyTo === 'string' ? { replyTo } : {}), since };
}

function sentAs({ id }: Sent): { kind: 'sent'; externalId?: string } {
  return { kind: 'sent', ...(id === undefined ? {} : { externalId: id }) };
}
