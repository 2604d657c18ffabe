import type { Attachment, ContentType } from '../../domain/chat.ts';
import type { Content, RoomEvent } from './schema.ts';

/** Text of encrypted messages. */
export const ENCRYPTED = '[an encrypted message, which only your own Matrix client can read]';
const WITHOUT_TEXT = '[a message of a kind that has no text]';

export interface ParsedContent {
  text: string;
  contentType: ContentType;
  attachments?: readonly Attachment[];
}

const MEDIA: Readonly<Record<string, ContentType>> = {
  'm.image': 'image',
  'm.video': 'video',
  'm.audio': 'audio',
  'm.file': 'file',
};

/** Converts the content of a message; always returns something, so that no message is lost. */
export function said(type: RoomEvent['type'], content: Content): ParsedContent {
  if (type === 'm.sticker') return media('sticker', content, content.body ?? '');
  const kind = content.msgtype ?? '';
  if (type === 'm.room.message' && Object.hasOwn(MEDIA, kind)) {
    return media(MEDIA[kind] ?? 'file', content, caption(content));
  }
  if (kind === 'm.key.verification.request') return { text: 'Asked to verify a device.', contentType: 'system' };
  const text = withoutFallback(content);
  if (text === undefined) return { text: WITHOUT_TEXT, contentType: 'unknown' };
  if (type !== 'm.room.message') return { text, contentType: 'unknown' };
  return { text: kind === 'm.emote' ? `/me ${text}` : text, ...whatItIs(kind, content) };
}

function whatItIs(kind: string, { geo_uri: place }: Content): Omit<ParsedContent, 'text'> {
  if (kind === 'm.location') {
    return {
      contentType: 'location',
      ...(place === undefined ? {} : { attachments: [{ type: 'location', url: place }] }),
    };
  }
  return { contentType: ['m.text', 'm.notice', 'm.emote'].includes(kind) ? 'text' : 'unknown' };
}

function media(type: ContentType, content: Content, text: string): ParsedContent {
  const { filename, body, info } = content;
  const name = filename ?? body;
  const url = content.url ?? content.file?.url;
  const attachment: Attachment = {
    type,
    ...(name === undefined ? {} : { name }),
    ...(info?.mimetype === undefined ? {} : { mime: info.mimetype }),
    ...(info?.size === undefined ? {} : { size: info.size }),
    ...(url === undefined ? {} : { url }),
  };
  return { text, contentType: type, attachments: [attachment] };
}

/** The body of a file is its name, unless `filename` is present; then it is a caption. */
function caption({ filename, body = '' }: Content): string {
  return filename === undefined || filename === body ? '' : body;
}

/** Older clients quote the message they reply to at the beginning of the text; the quote is removed. */
function withoutFallback({ body, 'm.relates_to': relation }: Content): string | undefined {
  if (body === undefined || !relation?.['m.in_reply_to']) return body;
  if (!/^> (?:\* )?<@/.test(body)) return body;
  const lines = body.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('>'));
  if (end === -1) return body;
  return lines.slice(lines[end] === '' ? end + 1 : end).join('\n');
}
