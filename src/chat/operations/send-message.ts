import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { OutboxItem } from '../../domain/outbox.ts';
import { type Verdict, verdictOn } from '../../domain/policy.ts';
import type { Principal } from '../../domain/principal.ts';
import { visible } from '../../lib/visible.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { type Destination, destinationOf } from '../destination.ts';
import type { ChatStores } from '../grants/restricted.ts';
import { knownSource } from '../lookup.ts';
import { CHAT, type Departures, type Sending, toPayload } from '../sending.ts';
import { type StoredMessageParts, storedMessage } from '../stored-message.ts';

export interface SendParts {
  /** What the caller may send to. */
  sendable: Pick<ChatStores, 'sources' | 'chats' | 'messages'>;
  sending: Pick<Sending, 'addressOf'>;
  departures: Departures;
  listen: StoredMessageParts['listen'];
}

const STATUSES = ['sent', 'queued', 'held', 'failed', 'uncertain'] as const;
/** What is just being sent is not sent yet; what a person has discarded never will be. */
const STATUS_OF = { sending: 'queued', discarded: 'failed' } as const;

export const sendMessage = operation({
  mcp: { name: 'send_message', combinedOnly: true },
  cli: {
    path: 'chat send',
    positionals: ['text'],
    examples: ["switchboard chat send --source libera --chat '#dev' 'The build is green again.'"],
    failed: ({ status }) => status === 'failed' || status === 'uncertain',
  },
  rest: { method: 'POST', path: '/sources/:source/send' },
  kind: 'command',
  effect: 'sends',
  description: 'Sends a message to a chat. The policy may hold it until a person approves.',
  input: z.strictObject({
    source: z.string().describe('The id of the source.'),
    chat: z.string().max(1_000).describe('Its id or whole name, or an address there.'),
    text: z.string().max(65_536).regex(/\S/, 'must say something').describe('What to say.'),
    reply_to: z.string().max(64).optional().describe('The id of the message it answers.'),
    idempotency_key: z.string().max(200).optional().describe('The same key again is the same message, sent once.'),
  }),
  output: z.object({
    status: z.enum(STATUSES),
    outbox_id: z.string(),
    message_id: z.string().optional(),
    chat_id: z.string(),
    chat: z.string(),
    reason: z.string().optional(),
  }),
  async run(input, context: OperationContext & SendParts) {
    const { source, text } = input;
    const { sendable, departures, principal, signal } = context;
    await checkSource(context, source);
    const chat = await destinationOf({ ...context, ...sendable }, source, input.chat);
    const replyTo = input.reply_to ? await answered(sendable, chat, input.reply_to) : undefined;
    const verdict = await verdictFor(departures, principal, { source, ...chat });
    if (verdict.kind === 'deny') throw new AppError('FORBIDDEN', verdict.reason, { field: 'chat' });
    const payload = toPayload({ chat: chat.id, text, ...(replyTo === undefined ? {} : { replyTo }) }, chat.name);
    const item = await departures.submit(
      {
        sender: CHAT,
        through: source,
        lane: chat.id,
        payload,
        principal: principal.name,
        ...(verdict.kind === 'hold' ? { state: 'held', reason: verdict.reason } : { state: 'queued' }),
        // An empty key is none: otherwise everything that has one would be the same message.
        ...(input.idempotency_key ? { idempotencyKey: input.idempotency_key } : {}),
      },
      signal,
    );
    checkSame(item, payload);
    const messageId = item.state === 'sent' ? await storedId(context, item) : undefined;
    return {
      status: item.state === 'sending' || item.state === 'discarded' ? STATUS_OF[item.state] : item.state,
      outbox_id: item.id,
      ...(messageId === undefined ? {} : { message_id: messageId }),
      chat_id: chat.id,
      chat: chat.name,
      ...(item.reason === undefined ? {} : { reason: item.reason }),
    } as const;
  },
  render({ status, outbox_id: id, message_id: messageId, chat, reason }) {
    const to = `to "${visible(chat)}"`;
    const because = reason === undefined ? '' : ` ${reason}`;
    if (status === 'sent') return `Sent ${to}${messageId === undefined ? '' : ` as message ${messageId}`}.`;
    if (status === 'held') return `Held: not sent ${to} until a person approves it (outbox item ${id}).${because}`;
    if (status === 'queued') return `Queued: not sent ${to} yet; it will be tried again (outbox item ${id}).${because}`;
    if (status === 'uncertain') {
      return `It is not known whether this was sent ${to}; do not send it again (outbox item ${id}).${because}`;
    }
    return `Not sent ${to} (outbox item ${id}).${because}`;
  },
});

async function checkSource(context: OperationContext & SendParts, id: string): Promise<void> {
  const { canSend, speaksForPerson } = await knownSource(context.sendable.sources, id);
  if (speaksForPerson && isAgent(context)) {
    throw new AppError(
      'FORBIDDEN',
      `What is sent through source '${id}' comes from the person, and you are an agent.`,
      {
        field: 'source',
        hint: 'Write to other agents with agentmail_send.',
      },
    );
  }
  if (canSend) return;
  throw new AppError('INVALID_PARAMETER', `Nothing can be sent through source '${id}': it only receives.`, {
    field: 'source',
  });
}

/** Somebody who has a name of their own in agent mail, and asks by the door that agents use. */
function isAgent({ door, origin, principal }: OperationContext): boolean {
  return door === 'mcp' && (origin?.tmuxPane !== undefined || principal.agent !== undefined);
}

/** The network's id of the message that is answered, which must be one of this chat. */
async function answered({ messages }: SendParts['sendable'], chat: Destination, id: string): Promise<string> {
  const message = /^\d{1,16}$/.test(id) ? await messages.byId(id) : undefined;
  if (message && message.chat.key === chat.key) return message.externalId;
  throw new AppError('MESSAGE_NOT_FOUND', 'There is no such message in this chat.', { field: 'reply_to' });
}

async function verdictFor(
  departures: Departures,
  { name, policy }: Principal,
  { source, id, name: chatName }: Destination & { source: string },
): Promise<Verdict> {
  const levels = [...(await departures.policies(source)), { whose: `The policy of the token ${name}`, policy }];
  return verdictOn(levels, [{ source, id, name: chatName }]);
}

/** A key that was used for something else is a mistake of the caller's, who would take the other for this. */
function checkSame({ payload: before, idempotencyKey }: OutboxItem, payload: OutboxItem['payload']): void {
  if (idempotencyKey === undefined || before.text === undefined) return;
  if (before.chat === payload.chat && before.text === payload.text) return;
  throw new AppError('CONFLICT', 'This idempotency key was used for another message. Nothing was sent.', {
    field: 'idempotency_key',
  });
}

/** Our id of what was sent, where it is stored soon enough. */
async function storedId(
  { sendable, listen, signal }: OperationContext & SendParts,
  { through: source, lane: chat = '', externalId }: OutboxItem,
): Promise<string | undefined> {
  if (externalId === undefined) return undefined;
  return (await storedMessage({ ...sendable, listen }, { source, chat, externalId }, signal))?.id;
}
