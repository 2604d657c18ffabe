import { createHash } from 'node:crypto';
import type { BinaryNode, proto, WASocket } from 'baileys';
import { AppError } from '../../domain/errors.ts';
import type { Host, LookOutcome, Outgoing, SendOutcome } from '../connector.ts';
import { notSent, outcomeOf, unknown } from '../outcome-error.ts';
import { nameOf } from './auth-state.ts';
import { chatOf } from './convert.ts';
import { chatIdIn, isPerson, parseJid } from './jids.ts';
import type { Library } from './library.ts';
import type { People } from './people.ts';
import type { Recent } from './recent.ts';
import type { SealedEntries } from './sealed-entries.ts';

interface OutgoingParts {
  library: Library;
  sock: WASocket;
  entries: SealedEntries;
  people: People;
  host: Host;
  signal: AbortSignal;
  recent: Recent;
}

interface SentMessage {
  /** Encoded, in base64: recipients that could not decrypt it ask for it again. */
  message: string;
  at: number;
  isAccepted?: boolean;
}

const SENT = 'sent-message';
const KEPT = 500;
const ANSWER_MS = 30_000;

/** A repeated message has the same id, and clients of WhatsApp show it once. */
function messageIdOf(source: string, id: string): string {
  return `3EB0${createHash('sha256').update(`${source}\n${id}`).digest('hex').slice(0, 18).toUpperCase()}`;
}

export function createOutgoing({ library, sock, entries, people, host, signal, recent }: OutgoingParts) {
  const kept = entries.under(nameOf(SENT, '')).map(([id, text]) => ({ id, at: (JSON.parse(text) as SentMessage).at }));
  kept.sort((one, other) => one.at - other.at);
  const answers = new Map<string, PromiseWithResolvers<BinaryNode>>();
  const onWhatsapp = new Set<string>();

  sock.ws.on('CB:ack,class:message', (node: BinaryNode) => answers.get(node.attrs.id ?? '')?.resolve(node));
  signal.addEventListener('abort', () => {
    for (const answer of answers.values()) answer.reject(unknown('The connection was lost before WhatsApp answered.'));
  });

  function recall(id: string): SentMessage | undefined {
    const text = entries.get(nameOf(SENT, id));
    return text === undefined ? undefined : JSON.parse(text);
  }

  function remember(id: string, sent: SentMessage): void {
    if (recall(id) === undefined) kept.push({ id, at: sent.at });
    const forgotten = kept.splice(0, Math.max(kept.length - KEPT, 0));
    entries.change([
      [nameOf(SENT, id), JSON.stringify(sent)],
      ...forgotten.map(({ id: old }) => [nameOf(SENT, old), undefined] as const),
    ]);
  }

  async function send(outgoing: Outgoing): Promise<SendOutcome> {
    const chat = people.idOf(chatIdIn(outgoing.chat));
    if (chat === undefined) throw notSent('There is no such chat.');
    await checkRecipient(chat);
    const id = messageIdOf(host.source, outgoing.id);
    const message = messageOf(chat, outgoing);
    const encoded = Buffer.from(library.proto.Message.encode(message).finish()).toString('base64');
    const sent = { message: encoded, at: host.clock.now() };
    remember(id, sent);
    const answer = await relay(chat, id, message);
    refusalIn(answer);
    remember(id, { ...sent, isAccepted: true });
    await storeOwn(chat, id, outgoing, answer);
    return { kind: 'sent', id };
  }

  /** A message to a number that is not on WhatsApp would go to nobody. */
  async function checkRecipient(chat: string): Promise<void> {
    const jid = parseJid(chat);
    if (jid?.server !== 's.whatsapp.net' || onWhatsapp.has(chat) || people.isMe(chat)) return;
    const [found] = (await beforeSending(sock.onWhatsApp(chat))) ?? [];
    if (!found?.exists) throw notSent('This number is not on WhatsApp.');
    onWhatsapp.add(chat);
  }

  function messageOf(chat: string, { text, replyTo }: Outgoing): proto.IMessage {
    if (replyTo === undefined) return { extendedTextMessage: { text } };
    const isDirect = isPerson(parseJid(chat) ?? { user: '', server: '' });
    const answered = recent.get(chat, replyTo);
    const participant = answered?.author ?? (isDirect ? chat : undefined);
    const quoted = { stanzaId: replyTo, quotedMessage: { conversation: answered?.text ?? '' } };
    return {
      extendedTextMessage: { text, contextInfo: participant === undefined ? quoted : { ...quoted, participant } },
    };
  }

  async function relay(chat: string, id: string, message: proto.IMessage): Promise<BinaryNode> {
    const answer = Promise.withResolvers<BinaryNode>();
    answer.promise.catch(() => {});
    answers.set(id, answer);
    const late = setTimeout(() => answer.reject(unknown('WhatsApp did not answer in time.')), ANSWER_MS);
    try {
      await beforeSending(sock.relayMessage(chat, message, { messageId: id }));
      return await answer.promise;
    } finally {
      clearTimeout(late);
      answers.delete(id);
    }
  }

  async function storeOwn(chat: string, id: string, { text, replyTo }: Outgoing, answer: BinaryNode): Promise<void> {
    const me = people.idOf(sock.user?.id) ?? '';
    const at = Number(answer.attrs.t) * 1_000 || host.clock.now();
    const message = {
      chat: chatOf(chat, people),
      id,
      sender: { id: me, name: people.nameOf(me) ?? me },
      isOwn: true,
      text,
      at,
      ...(replyTo === undefined ? {} : { replyTo }),
    };
    await host.accept([{ kind: 'message', message }]);
  }

  return {
    send: (outgoing: Outgoing): Promise<SendOutcome> => outcomeOf(send(outgoing), 'not-sent', 'unknown'),
    /** Not found means that WhatsApp did not confirm it; sent again it has the same id. */
    async wasSent({ id: ours }: Outgoing): Promise<LookOutcome> {
      const id = messageIdOf(host.source, ours);
      return recall(id)?.isAccepted ? { kind: 'sent', id } : { kind: 'absent' };
    },
    /** A message that was sent, for recipients that could not decrypt it. */
    find(id: string): proto.IMessage | undefined {
      const sent = recall(id);
      return sent && library.proto.Message.decode(Buffer.from(sent.message, 'base64'));
    },
  };
}

/** A failure with the code of a refusal comes from the server, before the message was sent. */
async function beforeSending<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    const code = statusOf(cause);
    if (code === 428) throw notSent('The connection to WhatsApp was lost.', { retry: true, cause });
    if (code === 429) throw notSent('WhatsApp was asked too often. It is tried again later.', { retry: true, cause });
    if (code !== undefined && code >= 400 && code < 500 && code !== 408) {
      throw notSent('WhatsApp has no such chat, or you may not write in it.', { cause });
    }
    throw new AppError('NETWORK_ERROR', 'The message could not be passed on to WhatsApp.', { cause });
  }
}

export function statusOf(error: unknown): number | undefined {
  const { output, data } = (error ?? {}) as { output?: { statusCode?: unknown }; data?: unknown };
  const code = typeof data === 'number' ? data : output?.statusCode;
  return typeof code === 'number' ? code : undefined;
}

const REFUSALS: Record<string, string> = {
  '401': 'You may not write in this chat.',
  '403': 'You may not write in this chat.',
  '404': 'There is no such chat.',
  '429': 'WhatsApp was asked too often.',
  '463': 'WhatsApp restricts your account: it may not begin new chats at the moment.',
};

function refusalIn({ attrs }: BinaryNode): void {
  if (!attrs.error) return;
  const reason = REFUSALS[attrs.error] ?? 'WhatsApp does not accept this message.';
  throw notSent(reason, { retry: attrs.error === '429', cause: attrs.error });
}
