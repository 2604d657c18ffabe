import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { OutboxItem, OutboxPort } from '../../domain/outbox.ts';
import { WHERE_THE_USER_IS } from '../../domain/principal.ts';
import { quotedName } from '../../lib/shown-name.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { type Destination, destinationOf } from '../destination.ts';
import type { RestrictedStores } from '../grants/restricted.ts';
import { knownSource } from '../lookup.ts';
import { CHAT, type Sending, toPayload } from '../sending.ts';
import { type StoredMessageParts, storedMessage } from '../stored-message.ts';

export interface SendParts {
  /** Limited to chats that the caller may send to. */
  sendable: Pick<RestrictedStores, 'sources' | 'chats' | 'messages'>;
  sending: Pick<Sending, 'addressOf'>;
  outbox: Pick<OutboxPort, 'submit'>;
  listen: StoredMessageParts['listen'];
}

const STATUSES = ['sent', 'queued', 'held', 'failed', 'uncertain'] as const;
/** States that callers see as another one. */
const STATUS_OF = { sending: 'queued', discarded: 'failed' } as const;

export const sendMessage = operation({
  mcp: { name: 'send_message', title: 'Send a chat message', combinedOnly: true },
  cli: {
    path: 'chat send',
    positionals: ['text'],
    examples: ["switchboard chat send --source libera --chat '#dev' 'The build is green again.'"],
    failed: ({ status }) => status === 'failed' || status === 'uncertain',
  },
  rest: { method: 'POST', path: '/sources/:source/send' },
  kind: 'command',
  effect: 'sends',
  description: 'Sends a chat message. The policy may hold it until a person approves.',
  input: z.strictObject({
    source: z.string().describe('Id of the source.'),
    chat: z.string().max(1_000).describe('Chat id, complete name, or an address of the network.'),
    text: z
      .string()
      .max(65_536)
      .regex(/\S/, 'must say something')
      .describe('Text of the message: at most 65,536 characters, not blank.'),
    reply_to: z.string().max(64).optional().describe('Id of the message it replies to.'),
    idempotency_key: z.string().max(200).optional().describe('A repeated key sends the message only once.'),
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
    const { source, text, reply_to: answered, idempotency_key: idempotencyKey } = input;
    const { sendable, outbox } = context;
    const asPerson = await checkSource(context, source);
    const chat = await destinationOf({ ...context, ...sendable }, source, input.chat);
    const replyTo = answered ? await externalIdIn(chat, answered, sendable) : undefined;
    const item = await outbox.submit(
      {
        sender: CHAT,
        through: source,
        lane: chat.id,
        recipients: [{ id: chat.id, name: chat.name }],
        summary: text,
        payload: toPayload({
          chat: chat.id,
          text,
          ...(replyTo === undefined ? {} : { replyTo }),
          ...(asPerson ? { asPerson } : {}),
        }),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        recipientField: 'chat',
      },
      context,
    );
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
    const to = `to ${quotedName(chat)}`;
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

/** Returns whether what is sent through it comes from the user. */
async function checkSource(context: OperationContext & SendParts, id: string): Promise<boolean> {
  const { canSend, howToSend, speaksForPerson = false } = await knownSource(context.sendable.sources, id);
  if (!canSend) {
    const reason = howToSend ?? 'It only receives.';
    throw new AppError('INVALID_PARAMETER', `Nothing can be sent through source '${id}' as a chat message. ${reason}`, {
      field: 'source',
    });
  }
  if (speaksForPerson && !(await context.isPerson?.())) throw notThePerson(id);
  return speaksForPerson;
}

function notThePerson(id: string): AppError {
  return new AppError(
    'FORBIDDEN',
    `What is sent through source '${id}' comes from the user, and only the user can send it.`,
    {
      field: 'source',
      hint: `Agents use agentmail_send. The user runs \`switchboard chat send\` ${WHERE_THE_USER_IS}.`,
    },
  );
}

/** The network's id of a message of this chat. */
async function externalIdIn(chat: Destination, id: string, { messages }: SendParts['sendable']): Promise<string> {
  const message = /^\d{1,16}$/.test(id) ? await messages.byId(id) : undefined;
  if (message && message.chat.key === chat.key) return message.externalId;
  throw new AppError('MESSAGE_NOT_FOUND', 'There is no such message in this chat.', { field: 'reply_to' });
}

/** Our id of the sent message, if it is stored in time. */
async function storedId(
  { sendable, listen, signal }: OperationContext & SendParts,
  { through: source, lane: chat = '', externalId }: OutboxItem,
): Promise<string | undefined> {
  if (externalId === undefined) return undefined;
  return (await storedMessage({ ...sendable, listen }, { source, chat, externalId }, signal))?.id;
}
