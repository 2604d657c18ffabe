import type { Attachment, ChatType, InboundChat, InboundEvent, InboundMessage, Sender } from '../../../domain/chat.ts';
import { fileTypeOf } from '../../../domain/file-type.ts';
import { toAttachment } from '../attachment.ts';
import type { SkipReason } from '../importer.ts';
import { asFields, type Fields, integerField, recordsField, textField } from '../json-fields.ts';

/** Discord's epoch: the beginning of 2015. */
const DISCORD_EPOCH = 1_420_070_400_000;
/** The smallest snowflake in use; smaller numbers do not contain a timestamp. */
const SMALLEST_SNOWFLAKE = 1n << 32n;
const LARGEST_SNOWFLAKE = 1n << 64n;

const SYSTEM_TYPES = new Set([
  'RecipientAdd',
  'RecipientRemove',
  'Call',
  'ChannelNameChange',
  'ChannelIconChange',
  'ChannelPinnedMessage',
  'GuildMemberJoin',
  'ThreadCreated',
]);

/** The chat of a file, from its two header objects; undefined if they are incomplete. */
export function toChat(guild: Fields | undefined, channel: Fields | undefined): InboundChat | undefined {
  const id = textField(channel ?? {}, 'id');
  if (!channel || id === undefined) return undefined;
  const type = chatTypeOf(typeOf(channel));
  const isOfGuild = type === 'channel' || type === 'thread';
  const place = isOfGuild
    ? [textField(guild ?? {}, 'name'), type === 'thread' ? textField(channel, 'category') : undefined]
    : [];
  const name = [...place, textField(channel, 'name') ?? id].filter((part) => part !== undefined).join(' / ');
  return { id, name, type };
}

/** One message and its reactions. */
export function toEvents(raw: Fields, chat: InboundChat, me?: string): readonly InboundEvent[] | SkipReason {
  const id = textField(raw, 'id');
  if (id === undefined) return 'no_id';
  const at = snowflakeTime(id) ?? timeOf(textField(raw, 'timestamp'));
  if (at === undefined) return 'no_time';
  return [{ kind: 'message', message: toMessage(raw, id, at, chat, me) }, ...reactionsOf(raw, id, at, chat)];
}

/** A snowflake contains the timestamp in milliseconds, independent of the zone of the export. */
function snowflakeTime(id: string): number | undefined {
  if (!/^\d{1,20}$/.test(id)) return undefined;
  const number = BigInt(id);
  if (number < SMALLEST_SNOWFLAKE || number >= LARGEST_SNOWFLAKE) return undefined;
  return Number(number >> 22n) + DISCORD_EPOCH;
}

function chatTypeOf(type: string): ChatType {
  if (/^DirectGroup/.test(type) || type === '3') return 'group';
  if (/^Direct/.test(type) || type === '1') return 'direct';
  return /Thread$/.test(type) || ['10', '11', '12'].includes(type) ? 'thread' : 'channel';
}

function toMessage(raw: Fields, id: string, at: number, chat: InboundChat, me: string | undefined): InboundMessage {
  const sender = senderOf(asFields(raw.author));
  const forwarded = asFields(raw.forwardedMessage);
  const attachments = [raw, ...(forwarded ? [forwarded] : [])].flatMap(filesOf);
  const text = forwarded ? forwardedText(contentOf(raw), contentOf(forwarded)) : contentOf(raw);
  const editedAt = timeOf(textField(raw, 'timestampEdited'));
  const replyTo = answeredBy(raw, chat);
  return {
    chat,
    id,
    sender,
    ...(me !== undefined && (sender.id === me || namesOf(raw).includes(me.toLowerCase())) ? { isOwn: true } : {}),
    text,
    contentType: isSystem(typeOf(raw)) ? 'system' : (attachments[0]?.type ?? (text === '' ? 'unknown' : 'text')),
    at,
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(editedAt === undefined ? {} : { editedAt }),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}

/** The exporter writes unknown types as numbers; those up to 18 are system messages in Discord's numbering. */
function isSystem(type: string): boolean {
  if (SYSTEM_TYPES.has(type)) return true;
  return /^\d{1,2}$/.test(type) && Number(type) >= 1 && Number(type) <= 18;
}

function typeOf(fields: Fields): string {
  return textField(fields, 'type') ?? String(integerField(fields, 'type') ?? '');
}

/** The export does not say who wrote it. */
function forwardedText(own: string, text: string): string {
  return [...(own === '' ? [] : [own]), `Forwarded message${text === '' ? '' : `:\n${text}`}`].join('\n');
}

function senderOf(author: Fields | undefined): Sender {
  const name = textField(author ?? {}, 'nickname') ?? textField(author ?? {}, 'name');
  const id = textField(author ?? {}, 'id') ?? name ?? 'unknown';
  return { id, name: name ?? id };
}

function namesOf({ author }: Fields): string[] {
  const fields = asFields(author) ?? {};
  return ['name', 'nickname'].flatMap((key) => textField(fields, key)?.toLowerCase() ?? []);
}

function contentOf(raw: Fields): string {
  const content = textField(raw, 'content')?.trim();
  return content ? content : recordsField(raw, 'embeds').map(embedText).filter(Boolean).join('\n\n');
}

function embedText(embed: Fields): string {
  const fields = recordsField(embed, 'fields').map((field) =>
    ['name', 'value'].flatMap((key) => textField(field, key) ?? []).join(': '),
  );
  const parts = [
    textField(asFields(embed.author) ?? {}, 'name'),
    textField(embed, 'title'),
    textField(embed, 'description'),
    ...fields,
    textField(asFields(embed.footer) ?? {}, 'text'),
  ];
  return parts.filter(Boolean).join('\n') || (textField(embed, 'url') ?? '');
}

function filesOf(raw: Fields): Attachment[] {
  return [...recordsField(raw, 'attachments').map(toFile), ...recordsField(raw, 'stickers').map(toSticker)];
}

function toFile(file: Fields): Attachment {
  const name = textField(file, 'fileName');
  const size = integerField(file, 'fileSizeBytes');
  return toAttachment(fileTypeOf(undefined, name), { name, size, url: textField(file, 'url') });
}

function toSticker(sticker: Fields): Attachment {
  return toAttachment('sticker', { name: textField(sticker, 'name'), url: textField(sticker, 'sourceUrl') });
}

/** The reference of a forwarded message is its origin, not a message it replies to. */
function answeredBy(raw: Fields, chat: InboundChat): string | undefined {
  const reference = asFields(raw.reference);
  if (!reference || reference.type === 'Forward' || asFields(raw.forwardedMessage)) return undefined;
  const channel = textField(reference, 'channelId');
  return channel === undefined || channel === chat.id ? textField(reference, 'messageId') : undefined;
}

function reactionsOf(raw: Fields, message: string, at: number, chat: InboundChat): InboundEvent[] {
  const given = new Map<string, { sender: Sender; signs: string[] }>();
  for (const reaction of recordsField(raw, 'reactions')) {
    const sign = signOf(asFields(reaction.emoji));
    if (sign === undefined) continue;
    for (const user of recordsField(reaction, 'users')) {
      const sender = senderOf(user);
      const known = given.get(sender.id);
      if (known) known.signs.push(sign);
      else given.set(sender.id, { sender, signs: [sign] });
    }
  }
  return [...given.values()].map(({ sender, signs }) => ({
    kind: 'reactions',
    chat: chat.id,
    message,
    sender,
    signs,
    at,
  }));
}

/** A custom emoji has an id and a name; any other is the character itself. */
function signOf(emoji: Fields | undefined): string | undefined {
  const name = textField(emoji ?? {}, 'name') ?? textField(emoji ?? {}, 'code');
  return name !== undefined && textField(emoji ?? {}, 'id') !== undefined ? `:${name}:` : name;
}

/** Requires an offset; without one the result would depend on this machine's zone. */
function timeOf(timestamp = ''): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/.test(timestamp)) return undefined;
  const at = Date.parse(timestamp);
  return Number.isNaN(at) ? undefined : at;
}
