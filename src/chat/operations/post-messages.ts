import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { CHAT_TYPES, type InboundEvent } from '../../domain/chat.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { knownSource } from '../lookup.ts';
import { notFromTheFuture } from '../moments.ts';
import type { ChatStore, MessageStore } from '../ports.ts';
import type { Sources } from '../sources.ts';
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

/** At once; whoever has more sends more often. */
const MOST = 1_000;
/** Stored together: more would hold up everybody else. */
const AT_ONCE = 100;

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
    messages: z.array(PostedMessage).min(1).max(MOST).describe('The messages, oldest first.'),
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
    const events = notFromTheFuture(
      posted.map((message, index) => toEvent(message, message.id ?? idIn(signed, index), known, now)),
      now,
    );
    const total = { added: 0, known: 0 };
    for (let from = 0; from < events.length; from += AT_ONCE) {
      const part = events.slice(from, from + AT_ONCE);
      const { added, changed, known: same } = await messages.record({ source, events: part, origin: 'live' });
      total.added += added;
      total.known += same + changed;
    }
    return total;
  },
  render: ({ added, known }) => `${added} added${known === 0 ? '' : `, ${known} known already`}.`,
});

/** Of the chats that are posted to, those that are there: they stay what they are. */
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

/** The id of a message that has none: the same again when the same post comes again, where that can be known. */
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
