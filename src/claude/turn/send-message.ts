import type { Conversation, NewMessage } from '../../domain/conversation.ts';
import {
  asUnanswered,
  type ConversationMessage,
  textBlock,
  textOf,
  unansweredCalls,
} from '../../domain/conversation-message.ts';
import { AppError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { randomHex } from '../../lib/chance.ts';
import type { OperationContext } from '../../operation.ts';
import { changeConversation } from '../change-conversation.ts';
import type { ClaudeContext } from '../context.ts';
import { checkBudget } from './limits.ts';
import type { TurnListener } from './run-turn.ts';
import { type TurnView, turnView } from './turn-view.ts';

export interface SendRequest {
  conversation_id: string;
  text: string;
  client_message_id?: string | undefined;
  wait: boolean;
}

type Context = OperationContext & ClaudeContext;

/** Adds a message of the caller, and lets Claude answer. */
export async function sendMessage(
  request: SendRequest,
  context: Context,
  listener: TurnListener = {},
): Promise<TurnView> {
  const { conversations, settings } = context;
  const conversation = await conversations.get(request.conversation_id);
  const known = await sentBefore(request, conversation, context);
  if (known && !mayAnswerAgain(conversation, known)) return turnView(context, conversation.id, known.number);
  // Without an API key nothing is stored.
  await context.api();
  checkBudget(conversation, (await settings()).claude);
  await context.tellConversation(conversation);
  const number = known ? await again(conversation, known, context) : await begin(request, conversation, context);
  return answer(conversation, number, request.wait, context, listener);
}

/** Waits until the turn has ended, as long as the caller does. */
export async function answer(
  { id }: Conversation,
  number: number,
  wait: boolean,
  context: Context,
  listener: TurnListener = {},
): Promise<TurnView> {
  const { turns, signal, conversations } = context;
  const cancel = () => void turns.end(id, 'cancelled');
  const ended = turns.run(id, {
    ...listener,
    onStep: async () => {
      const conversation = await conversations.get(id);
      await context.hearConversation(conversation);
      await listener.onStep?.();
    },
  });
  if (!wait) return turnView(context, id, number);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    await ended;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  return turnView(context, id, number);
}

async function sentBefore(
  { client_message_id: clientId, text }: SendRequest,
  { id }: Conversation,
  { conversations }: Context,
): Promise<ConversationMessage | undefined> {
  // An empty id is none.
  const known = clientId ? await conversations.sentAs(id, clientId) : undefined;
  if (!known || textOf(known) === text) return known;
  throw new AppError('CONFLICT', 'Another message was sent with this client_message_id.', {
    field: 'client_message_id',
  });
}

/** A message whose turn failed or was ended is answered when it is sent again. */
function mayAnswerAgain({ turn, messageCount }: Conversation, { number }: ConversationMessage): boolean {
  const isEnded = turn.state === 'failed' || (turn.state === 'idle' && turn.outcome !== 'done');
  return isEnded && number === messageCount;
}

async function again({ id }: Conversation, { number }: ConversationMessage, context: Context): Promise<number> {
  await changeConversation(context.conversations, id, { kind: 'retry-turn', at: context.clock.now() });
  return number;
}

/** Returns the number of the added message. */
async function begin(
  { text, client_message_id: clientId }: SendRequest,
  { id }: Conversation,
  { conversations, clock, principal }: Context,
): Promise<number> {
  const at = clock.now();
  const last = await conversations.messages(id, { limit: 1 });
  const message: NewMessage = {
    id: newId(at, randomHex),
    role: 'user',
    content: [...asUnanswered(unansweredCalls(last)), textBlock(text)],
    at,
    state: 'complete',
    author: principal.name,
    ...(clientId ? { clientId } : {}),
  };
  const { messageCount } = await changeConversation(conversations, id, { kind: 'begin-turn', message, at });
  return messageCount;
}
