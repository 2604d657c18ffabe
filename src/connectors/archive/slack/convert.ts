import type { Attachment, InboundChat, InboundEvent, InboundMessage, Sender } from '../../../domain/chat.ts';
import { fileTypeOf } from '../../../domain/file-type.ts';
import { toAttachment } from '../attachment.ts';
import type { SkipReason } from '../importer.ts';
import { asFields, type Fields, integerField, recordsField, textField, textsField } from '../json-fields.ts';
import { isMe, type SlackDirectory } from './directory.ts';
import { attachmentsText, blocksText, plainText, unescaped } from './text.ts';

export interface SlackContext {
  chat: InboundChat;
  directory: SlackDirectory;
  me?: string;
}

const SYSTEM_SUBTYPE =
  /^(?:channel_|group_|app_conversation_|(?:un)?pinned_item$|bot_(?:add|remove|enable|disable)$|reminder_(?:add|delete)$|sh_room_|huddle_thread$|joiner_notification)/;

/** One entry of a day's file. Its `ts` is both its id and its time. */
export function toEvents(entry: Fields, setting: SlackContext): readonly InboundEvent[] | SkipReason {
  const id = textField(entry, 'ts');
  if (id === undefined) return 'no_id';
  const at = timeOf(id);
  if (at === undefined) return 'no_time';
  switch (entry.subtype) {
    case 'message_changed':
      return editOf(entry, at, setting);
    case 'message_deleted':
      return deletionOf(entry, at, setting);
    case 'message_replied':
      // Only announces a reply, which is a separate entry.
      return [];
    case 'tombstone':
      // The deleted first message of a thread; its replies still refer to it.
      return [
        { kind: 'message', message: { ...toMessage(entry, id, at, setting), text: '', contentType: 'text' } },
        { kind: 'delete', chat: setting.chat.id, message: id, at },
      ];
    default:
      return [{ kind: 'message', message: toMessage(entry, id, at, setting) }, ...reactionsOf(entry, id, at, setting)];
  }
}

/** Seconds with a fraction that makes it unique, as text. */
function timeOf(ts = ''): number | undefined {
  const [, seconds, fraction = ''] = /^(\d{1,11})(?:\.(\d{1,9}))?$/.exec(ts) ?? [];
  if (seconds === undefined) return undefined;
  return Number(seconds) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

function toMessage(entry: Fields, id: string, at: number, setting: SlackContext): InboundMessage {
  const { chat, me } = setting;
  const sender = senderOf(entry, setting.directory);
  const text = contentOf(entry, setting.directory);
  const attachments = filesOf(entry);
  const thread = textField(entry, 'thread_ts');
  const editedAt = timeOf(textField(asFields(entry.edited) ?? {}, 'ts'));
  const isSystem = SYSTEM_SUBTYPE.test(textField(entry, 'subtype') ?? '');
  return {
    chat,
    id,
    sender,
    ...(isMe(sender.id, sender.name, me) ? { isOwn: true } : {}),
    text,
    contentType: isSystem ? 'system' : (attachments[0]?.type ?? (text === '' ? 'unknown' : 'text')),
    at,
    ...(thread === undefined || thread === id ? {} : { replyTo: thread }),
    ...(editedAt === undefined ? {} : { editedAt }),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}

function senderOf(entry: Fields, directory: SlackDirectory): Sender {
  const user = textField(entry, 'user') ?? textField(asFields(entry.comment) ?? {}, 'user');
  if (user !== undefined) return directory.person(user, asFields(entry.user_profile));
  const shown = textField(entry, 'username') ?? textField(asFields(entry.bot_profile) ?? {}, 'name');
  const id = textField(entry, 'bot_id') ?? shown ?? 'slack';
  return { id, name: shown === undefined ? (directory.user(id) ?? (id === 'slack' ? 'Slack' : id)) : unescaped(shown) };
}

function contentOf(entry: Fields, directory: SlackDirectory): string {
  const text = plainText(textField(entry, 'text') ?? '', directory) || blocksText(entry, directory);
  const isOfProgram = textField(entry, 'bot_id') !== undefined || entry.subtype === 'bot_message';
  const attachments = recordsField(entry, 'attachments');
  // Attachments of messages by people mostly repeat the content of a link.
  const worthReading = text === '' || isOfProgram ? attachments : attachments.filter(isShared);
  const attached = attachmentsText(worthReading, directory);
  return [text, attached === text ? '' : attached].filter((part) => part !== '').join('\n');
}

function isShared(attachment: Fields): boolean {
  return attachment.is_share === true || attachment.is_msg_unfurl === true;
}

function filesOf(entry: Fields): Attachment[] {
  const single = asFields(entry.file);
  const files = recordsField(entry, 'files');
  return (files.length === 0 && single ? [single] : files).filter((file) => file.mode !== 'tombstone').map(toFile);
}

function toFile(file: Fields): Attachment {
  const name = textField(file, 'name') ?? textField(file, 'title');
  const mime = textField(file, 'mimetype');
  return toAttachment(fileTypeOf(mime, name), {
    name: name === undefined ? undefined : unescaped(name),
    mime,
    size: integerField(file, 'size'),
    url: withoutToken(textField(file, 'permalink') ?? textField(file, 'url_private')),
  });
}

/** Slack puts a token into the query that gives access to all files of the export. */
function withoutToken(address: string | undefined): string | undefined {
  const url = URL.parse(address ?? '');
  if (!url) return undefined;
  if (/(^|\.)slack(-files)?\.com$/.test(url.hostname)) url.search = '';
  url.username = '';
  url.password = '';
  return url.href;
}

function reactionsOf(entry: Fields, message: string, at: number, { chat, directory }: SlackContext): InboundEvent[] {
  const signs = new Map<string, string[]>();
  for (const reaction of recordsField(entry, 'reactions')) {
    const sign = textField(reaction, 'name');
    if (sign === undefined) continue;
    for (const user of textsField(reaction, 'users')) {
      const given = signs.get(user);
      if (given) given.push(`:${sign}:`);
      else signs.set(user, [`:${sign}:`]);
    }
  }
  return [...signs].map(([user, given]) => ({
    kind: 'reactions',
    chat: chat.id,
    message,
    sender: directory.person(user),
    signs: given,
    at,
  }));
}

function editOf(entry: Fields, at: number, { chat, directory }: SlackContext): InboundEvent[] | SkipReason {
  const changed = asFields(entry.message);
  const message = textField(changed ?? {}, 'ts');
  if (!changed || message === undefined) return 'no_id';
  return [{ kind: 'edit', chat: chat.id, message, text: contentOf(changed, directory), at }];
}

function deletionOf(entry: Fields, at: number, { chat }: SlackContext): InboundEvent[] | SkipReason {
  const message = textField(entry, 'deleted_ts') ?? textField(asFields(entry.previous_message) ?? {}, 'ts');
  return message === undefined ? 'no_id' : [{ kind: 'delete', chat: chat.id, message, at }];
}
