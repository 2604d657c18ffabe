import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { CHAT_TYPES, type InboundEvent } from '../../domain/chat.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { knownSource } from '../lookup.ts';
import type { ChatStore, MessageStore } from '../ports.ts';
import type { Sources } from '../sources.ts';
import { clampTimestamps } from '../timestamps.ts';
import { checkSignature, type Signed, type Webhooks } from '../webhook.ts';

export interface PostParts {
  sources: Sources;
  messages: MessageStore;
  chats: Pick<ChatStore, 'resolve'>;
  webhooks: Webhooks;
  clock: Clock;
}

const name = () => z.string().min(1).max(500);

const PostedMessage = z.strictObject({
  chat: name().describe('Name of the chat; created if it does not exist.'),
  chat_type: z.enum(CHAT_TYPES).optional().describe('Type of the chat; default for a new one: group.'),
  sender: name().describe('Sender.'),
  text: z.string().max(1_000_000).describe('Text of the message.'),
  timestamp: z.iso
    .datetime({ offset: true, error: 'must be a moment like 2026-11-16T08:00:00Z' })
    .optional()
    .describe('ISO 8601 timestamp; default: now.'),
  id: name().optional().describe('Id of the message; a repeated id is stored once.'),
  reply_to: name().optional().describe('Id of the message it replies to.'),
});

type PostedMessage = z.output<typeof PostedMessage>;

/** Messages in one call. */
const MAX_MESSAGES = 1_000;
/** Messages in one transaction, so that other writers do not wait long. */
const BATCH = 100;

export const postMessages = operation({
  cli: {
    path: 'chat post',
    stdin: 'messages',
    examples: [`echo '{"chat":"ops","sender":"ci","text":"Build 512 failed"}' | switchboard chat post --source hook`],
    total: (before, more) => ({ added: before.added + more.added, known: before.known + more.known }),
  },
  rest: { method: 'POST', path: '/sources/:source/messages', body: 'messages' },
  kind: 'command',
  effect: 'writes',
  description:
    'Posts messages to a webhook source: one JSON object per line, {chat, sender, text, chat_type?, timestamp?, id?, reply_to?}.',
  input: z.strictObject({
    source: z.string().describe('Id of a webhook source.'),
    messages: z.array(PostedMessage).min(1).max(MAX_MESSAGES).describe('The messages, oldest first.'),
  }),
  output: z.object({ added: z.int(), known: z.int() }),
  async run({ source, messages: posted }, context: OperationContext & PostParts) {
    const { sources, webhooks, messages, clock } = context;
    const found = await knownSource(sources, source);
    if (found.kind !== 'webhook') {
      throw new AppError('CONFLICT', 'Messages can be posted only to sources of the kind webhook.', {
        field: 'source',
      });
    }
    const secret = await webhooks.secretOf(source);
    const now = clock.now();
    const signed = context.posted && secret !== undefined ? checkSignature(context.posted, secret, now) : {};
    const known = await knownChats(context, source, posted);
    const events = clampTimestamps(
      posted.map((message, index) => toEvent(message, message.id ?? idIn(signed, index), known, now)),
      now,
    );
    const total = { added: 0, known: 0 };
    for (let from = 0; from < events.length; from += BATCH) {
      const batch = events.slice(from, from + BATCH);
      const { added, changed, known: same } = await messages.record({ source, events: batch, origin: 'live' });
      total.added += added;
      total.known += same + changed;
    }
    return total;
  },
  render: ({ added, known }) => `${added} added${known === 0 ? '' : `, ${known} known already`}.`,
});

/** Ids of chats that exist already: their name and type are not changed. */
async function knownChats(
  { chats }: PostParts,
  source: string,
  posted: readonly PostedMessage[],
): Promise<Set<string>> {
  const known = new Set<string>();
  for (const id of new Set(posted.map(({ chat }) => chat))) {
    if ((await chats.resolve([source], id)).some((chat) => chat.id === id)) known.add(id);
  }
  return known;
}

/** An id for a message without one. It is the same when a signed post is repeated. */
function idIn({ post }: Signed, index: number): string {
  return post === undefined ? randomUUID() : `${post}:${index}`;
}

function toEvent(message: PostedMessage, id: string, known: ReadonlySet<string>, now: number): InboundEvent {
  const { chat, chat_type, sender, text, timestamp, reply_to: replyTo } = message;
  const isKnown = known.has(chat);
  const type = chat_type ?? (isKnown ? undefined : 'group');
  return {
    kind: 'message',
    message: {
      chat: { id: chat, ...(isKnown ? {} : { name: chat }), ...(type === undefined ? {} : { type }) },
      id,
      sender: { id: sender, name: sender },
      text,
      at: timestamp === undefined ? now : Date.parse(timestamp),
      ...(replyTo === undefined ? {} : { replyTo }),
    },
  };
}
