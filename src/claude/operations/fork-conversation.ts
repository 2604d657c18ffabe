import { z } from 'zod';
import { type Conversation, type ConversationEvent, follow } from '../../domain/conversation.ts';
import type { ConversationMessage } from '../../domain/conversation-message.ts';
import { AppError } from '../../domain/errors.ts';
import { type ConversationId, newId } from '../../domain/ids.ts';
import { answerableIdentity, isOwner } from '../../domain/principal.ts';
import { randomHex } from '../../lib/chance.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ClaudeContext } from '../context.ts';
import { ConversationRef, ConversationView, conversationLine, toConversationView } from '../conversation-view.ts';

type Context = OperationContext & ClaudeContext;

export const forkConversation = operation({
  mcp: { name: 'conversation_fork', title: 'Fork a conversation' },
  cli: { path: 'conversation fork', positionals: ['conversation_id', 'at_message_id'] },
  rest: { method: 'POST', path: '/conversations/:conversation_id/fork' },
  kind: 'command',
  effect: 'writes',
  description: 'Copies a conversation with Claude up to a message into a new one.',
  input: z.strictObject({
    conversation_id: ConversationRef,
    at_message_id: z.string().max(64).optional().describe('The last message of the copy; default: the newest.'),
    title: z.string().max(200).optional().describe('Title of the copy.'),
  }),
  output: ConversationView,
  async run({ conversation_id: wanted, at_message_id: at, title }, context: Context) {
    const { conversations, shareReads } = context;
    const origin = await conversations.get(wanted);
    const messages = upTo(await conversations.messages(origin.id), at);
    const { conversation, events } = copyOf(origin, messages, title, context);
    await conversations.save(conversation, events);
    await shareReads(origin, conversation);
    return toConversationView(conversation);
  },
  render: conversationLine,
});

function upTo(messages: readonly ConversationMessage[], id: string | undefined): readonly ConversationMessage[] {
  if (id === undefined) return messages;
  const last = messages.findIndex((message) => message.id === id);
  if (last !== -1) return messages.slice(0, last + 1);
  throw new AppError('NOT_FOUND', 'There is no such message in this conversation.', { field: 'at_message_id' });
}

/** It belongs to the caller, and its own tokens are counted. What was sent under an id of a client is not sent again. */
function copyOf(
  origin: Conversation,
  messages: readonly ConversationMessage[],
  title: string | undefined,
  { principal, clock }: Context,
): { conversation: Conversation; events: readonly ConversationEvent[] } {
  const at = clock.now();
  const { system, model, settings, tools, budget } = origin;
  // What its owner allowed is not allowed by another one.
  const autoApprove = origin.identity === principal.identity ? origin.autoApprove : [];
  const shown = title ?? origin.title;
  const created = follow(undefined, {
    kind: 'create',
    id: newId<ConversationId>(at, randomHex),
    owner: principal.name,
    identity: principal.identity,
    answersTo: answerableIdentity(principal),
    isOwners: isOwner(principal),
    forkedFrom: origin.id,
    ...(shown === undefined ? {} : { title: shown }),
    ...(system === undefined ? {} : { system }),
    model,
    settings,
    tools,
    autoApprove,
    budget,
    at,
  });
  let { conversation } = created;
  const events = [...created.events];
  for (const { number: _, clientId: __, usage: ___, ...message } of messages) {
    const next = follow(conversation, {
      kind: 'add-message',
      message: { ...message, id: newId(at, randomHex) },
      at,
    });
    conversation = next.conversation;
    events.push(...next.events);
  }
  return { conversation, events };
}
