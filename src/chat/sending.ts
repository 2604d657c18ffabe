import { NotSent, type Outgoing, type Sent } from '../connectors/connector.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Attempt, NewOutboxItem, OutboxItem, OutboxSender } from '../domain/outbox.ts';
import { type PolicyLevel, verdictOn } from '../domain/policy.ts';
import type { Log } from '../lib/log.ts';

/** The way out of the house. A connection stores what it has sent, as the user's own: by the network's echo, or by itself. */
export interface Sending {
  /** Fails with `NotSent` when it surely did not leave. */
  send(source: string, outgoing: Outgoing): Promise<Sent>;
  /** `unknown` where nobody can tell at the moment. */
  wasSent(source: string, outgoing: Outgoing): Promise<Sent | undefined | 'unknown'>;
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

  return {
    kind: CHAT,
    async send(item): Promise<Attempt> {
      try {
        const reason = await denial(item).catch((cause: unknown) => {
          throw new NotSent('The policy could not be read.', { retry: true, cause });
        });
        if (reason !== undefined) return { kind: 'not-sent', reason, retry: false };
        return sentAs(await sending.send(item.through, toOutgoing(item)));
      } catch (error) {
        log.warn({ err: error, source: item.through, outbox: item.id }, 'a message was not sent, or it is not known');
        if (error instanceof NotSent) return { kind: 'not-sent', reason: error.message, retry: error.retry };
        return { kind: 'unknown', reason: 'The connection was lost while this was being sent.' };
      }
    },
    async look(item) {
      try {
        // Some networks are asked by sending it once more.
        if ((await denial(item)) !== undefined) return 'unknown';
        const found = await sending.wasSent(item.through, toOutgoing(item));
        if (found === 'unknown') return 'unknown';
        return found ? sentAs(found) : 'absent';
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

function toOutgoing({ id, createdAt: since, payload: { chat, text, reply_to: replyTo } }: OutboxItem): Outgoing {
  if (typeof chat !== 'string' || typeof text !== 'string') throw new NotSent('This is no chat message.');
  return { id, chat, text, ...(typeof replyTo === 'string' ? { replyTo } : {}), since };
}

function sentAs({ id }: Sent): { kind: 'sent'; externalId?: string } {
  return { kind: 'sent', ...(id === undefined ? {} : { externalId: id }) };
}
