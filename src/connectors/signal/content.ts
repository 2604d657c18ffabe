import type { Attachment, ContentType } from '../../domain/chat.ts';
import type { Mention, ReadMessage, SignalAttachment } from './schema.ts';

/** What a message says. */
export interface SignalContent {
  text: string;
  contentType: ContentType;
  attachments?: readonly Attachment[];
}

/** How a person is called. */
export type NameOf = (uuid: string | undefined, number: string | undefined) => string | undefined;

const SCHEME = 'signal:';
/** Stands for a mention in the text. */
const PLACEHOLDER = '\ufffc';

/** The content of a message; undefined if it has none, as when a profile key is passed on. */
export function contentOf(message: ReadMessage, chat: string, nameOf: NameOf): SignalContent | undefined {
  const attachments = message.attachments.map((each) => toAttachment(each, chat));
  const text = textOf(message, nameOf);
  const [first] = attachments;
  if (first) return { text, contentType: first.type, attachments };
  if (message.sticker) return { text: text || 'Sticker', contentType: 'sticker' };
  if (text !== '') return { text, contentType: 'text' };
  return otherContent(message);
}

function textOf({ message, mentions, attachments }: ReadMessage, nameOf: NameOf): string {
  const text = withMentions(message ?? '', mentions, nameOf);
  if (text !== '') return text;
  return attachments.flatMap(({ caption }) => caption || []).join('\n');
}

/** The text with names in the places of mentions. Places that overlap, or are outside of it, are left out. */
export function withMentions(text: string, mentions: readonly Mention[], nameOf: NameOf): string {
  let result = '';
  let end = 0;
  for (const { start, length, name, uuid, number } of mentions.toSorted((one, other) => one.start - other.start)) {
    if (start < end || start + length > text.length || text[start] !== PLACEHOLDER) continue;
    result += `${text.slice(end, start)}@${nameOf(uuid, number) ?? (name || (number ?? uuid ?? 'someone'))}`;
    end = start + length;
  }
  return result + text.slice(end);
}

function otherContent(message: ReadMessage): SignalContent | undefined {
  const { contacts, pollCreate, payment, groupInfo } = message;
  if (contacts.length > 0) return { text: contacts.map(contactText).join('\n'), contentType: 'contact' };
  if (pollCreate) {
    const listed = pollCreate.options.map((option) => `- ${option}`);
    return {
      text: [`Poll: ${pollCreate.question || 'without a question'}`, ...listed].join('\n'),
      contentType: 'text',
    };
  }
  if (message.pollTerminate) return system('The poll has ended.');
  if (message.pinMessage) return system('Pinned a message.');
  if (message.unpinMessage) return system('Unpinned a message.');
  if (payment) return system(payment.note ? `Sent a payment: ${payment.note}` : 'Sent a payment.');
  if (message.isExpirationUpdate) return system(expiryText(message.expiresInSeconds ?? 0));
  if (message.viewOnce) return { text: 'Sent media that can be viewed once, on a phone.', contentType: 'unknown' };
  if (groupInfo?.type === 'QUIT') return system('Left the group.');
  if (groupInfo?.type === 'UPDATE' && !message.unknownContent) return system('Changed the group.');
  if (!message.unknownContent) return undefined;
  return { text: `Sent something that Switchboard does not know (${message.unknownContent}).`, contentType: 'unknown' };
}

function expiryText(seconds: number): string {
  return seconds === 0 ? 'Messages no longer disappear.' : `New messages disappear after ${seconds} seconds.`;
}

function contactText({ name, phone }: ReadMessage['contacts'][number]): string {
  const full = name?.display || [name?.given, name?.family].filter(Boolean).join(' ') || 'without a name';
  return [`Contact: ${full}`, ...phone.map(({ value }) => value)].join(', ');
}

export function system(text: string): SignalContent {
  return { text, contentType: 'system' };
}

function toAttachment({ id, contentType, filename, size }: SignalAttachment, chat: string): Attachment {
  return {
    type: typeOf(contentType ?? ''),
    ...(filename ? { name: filename } : {}),
    ...(contentType ? { mime: contentType } : {}),
    ...(size === undefined ? {} : { size }),
    ...(id === undefined ? {} : { url: `${SCHEME}${encoded(chat)}/${encoded(id)}` }),
  };
}

/** By what signal-cli finds an attachment. */
export function attachmentPlace({ url = '' }: Attachment): { chat: string; id: string } | undefined {
  const [, chat, id] = /^signal:([^/]+)\/([^/]+)$/.exec(url) ?? [];
  try {
    return chat && id ? { chat: decodeURIComponent(chat), id: decodeURIComponent(id) } : undefined;
  } catch {
    return undefined;
  }
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function typeOf(mime: string): ContentType {
  const [main] = mime.split('/');
  return main === 'image' || main === 'video' || main === 'audio' ? main : 'file';
}
