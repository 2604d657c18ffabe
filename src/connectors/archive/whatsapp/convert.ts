import type { Attachment, ContentType, InboundEvent, Sender } from '../../../domain/chat.ts';
import type { LocalTime } from '../../../lib/local-time.ts';
import { createMessageIds } from '../message-ids.ts';
import type { ArchiveEntry } from '../open-archive.ts';
import { contentOf, type WhatsappContent } from './content.ts';
import { withoutLeadingMarks } from './plain.ts';
import type { WhatsappSender } from './sender.ts';

/** A message after its header was parsed: its text on all lines. */
export interface Block {
  at: number;
  local: LocalTime;
  text: string;
}

/** Sender of system messages. */
const WHATSAPP: Sender = { id: 'whatsapp', name: 'WhatsApp' };
/** A poll has the mark of a system message, but it has a sender. */
const POLL = /^\u200E?[^\n:]{2,20}:\n/;

/** `attached`: the files that were exported with the chat. */
export function createConverter(
  party: WhatsappSender,
  attached: readonly ArchiveEntry[],
): (block: Block) => readonly InboundEvent[] {
  const messageId = createMessageIds();
  const sizes = new Map(attached.map(({ name, size }) => [name.slice(name.lastIndexOf('/') + 1), size]));

  function idOf({ local }: Block, sender: Sender, content: WhatsappContent): string {
    const { year, month, day, hour, minute, second } = local;
    const time = `${year}-${month}-${day} ${hour}:${minute}:${second}`;
    return messageId({ chat: party.chat.id, time, sender: sender.name, text: comparable(content) });
  }

  function sized(attachment: Attachment): Attachment {
    const size = sizes.get(attachment.name ?? '');
    return size === undefined ? attachment : { ...attachment, size };
  }

  return (block) => {
    const { sender, content, contentType } = read(block.text, party);
    const id = idOf(block, sender, content);
    const { text, attachment, isEdited, isDeleted } = content;
    const message = {
      chat: party.chat,
      id,
      sender,
      ...(party.isMe(sender) ? { isOwn: true } : {}),
      text,
      contentType,
      at: block.at,
      // The export does not contain the time of the edit.
      ...(isEdited ? { editedAt: block.at } : {}),
      ...(attachment ? { attachments: [sized(attachment)] } : {}),
    };
    if (!isDeleted) return [{ kind: 'message', message }];
    return [
      { kind: 'message', message },
      { kind: 'delete', chat: party.chat.id, message: id, at: block.at },
    ];
  };
}

interface Read {
  sender: Sender;
  content: WhatsappContent;
  contentType: ContentType;
}

function read(text: string, party: WhatsappSender): Read {
  const [first = ''] = text.split('\n', 1);
  const found = party.senderIn(first);
  if (!found) return { sender: WHATSAPP, content: announcement(text), contentType: 'system' };
  const { sender } = found;
  const content = contentOf(found.text + text.slice(first.length));
  const isSystem = content.isMarked && content.contentType === 'text' && !content.isDeleted && !POLL.test(content.text);
  return { sender, content, contentType: isSystem ? 'system' : content.contentType };
}

function announcement(text: string): WhatsappContent {
  const said = withoutLeadingMarks(text).trim();
  return { text: said, contentType: 'system', isEdited: false, isDeleted: false, isMarked: false };
}

/** The same with and without media, so that a second export with media adds no duplicates. */
function comparable({ text, attachment, isDeleted }: WhatsappContent): string {
  if (isDeleted) return '\0deleted';
  return attachment ? `\0file ${text}` : text;
}
