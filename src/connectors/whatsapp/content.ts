import type { Attachment, ContentType } from '../../domain/chat.ts';
import { type Fields, fieldsIn, listIn, numberIn, textIn } from './fields.ts';
import { mediaAttachment } from './media-address.ts';

export interface ParsedContent {
  text: string;
  contentType: ContentType;
  attachments?: readonly Attachment[];
}

/** Messages that only contain another one. */
const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
  'editedMessage',
  'groupMentionedMessage',
  'botInvokeMessage',
  'lottieStickerMessage',
  'eventCoverImage',
  'statusMentionMessage',
  'pollCreationMessageV4',
  'associatedChildMessage',
  'groupStatusMentionMessage',
  'groupStatusMessage',
  'groupStatusMessageV2',
  'limitSharingMessage',
  'botForwardedMessage',
] as const;
const DEEPEST = 8;

/** Parts without content of their own: keys, votes, pins, and what follows as messages. */
const SILENT = new Set([
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'messageContextInfo',
  'pollUpdateMessage',
  'keepInChatMessage',
  'pinInChatMessage',
  'encReactionMessage',
  'encEventResponseMessage',
  'encCommentMessage',
  'protocolMessage',
  'reactionMessage',
  'albumMessage',
  'deviceSentMessage',
  'stickerSyncRmrMessage',
  'messageHistoryBundle',
  'messageHistoryNotice',
  'secretEncryptedMessage',
  'call',
]);

const MOST_OPTIONS = 30;
const MOST_CONTACTS = 20;

type Reader = (part: Fields) => ParsedContent | undefined;

const READERS: Record<string, Reader> = {
  extendedTextMessage: (part) => plain(part.text),
  imageMessage: (part) => media('image', 'image', part),
  videoMessage: (part) => media('video', 'video', part),
  ptvMessage: (part) => media('video', 'video', part),
  audioMessage: (part) => media('audio', 'audio', part),
  documentMessage: (part) => media('file', 'document', part),
  stickerMessage: (part) => media('sticker', 'sticker', part),
  locationMessage: location,
  liveLocationMessage: location,
  contactMessage: (part) => ({ text: contact(part), contentType: 'contact' }),
  contactsArrayMessage: (part) => ({
    text: listIn(part.contacts, MOST_CONTACTS)
      .map((each) => contact(fieldsIn(each) ?? {}))
      .join('\n'),
    contentType: 'contact',
  }),
  pollCreationMessage: poll,
  pollCreationMessageV2: poll,
  pollCreationMessageV3: poll,
  pollCreationMessageV5: poll,
  eventMessage: (part) => lines('Event:', part.name, part.description, fieldsIn(part.location)?.name),
  groupInviteMessage: (part) => lines('Invitation to the group', part.groupName, part.caption),
  templateMessage: (part) => {
    const template = fieldsIn(part.hydratedTemplate) ?? fieldsIn(part.hydratedFourRowTemplate);
    return lines(template?.hydratedTitleText, template?.hydratedContentText, template?.hydratedFooterText);
  },
  buttonsMessage: (part) => lines(part.text, part.contentText, part.footerText),
  listMessage: (part) => lines(part.title, part.description, part.footerText),
  interactiveMessage: (part) => lines(fieldsIn(part.header)?.title, fieldsIn(part.body)?.text),
  buttonsResponseMessage: (part) => plain(part.selectedDisplayText),
  listResponseMessage: (part) => plain(part.title),
  templateButtonReplyMessage: (part) => plain(part.selectedDisplayText),
  interactiveResponseMessage: (part) => plain(fieldsIn(part.body)?.text),
  productMessage: (part) => lines('Product:', fieldsIn(part.product)?.title, part.body),
  orderMessage: (part) => lines('Order:', part.orderTitle, part.message),
  callLogMesssage: () => ({ text: 'Call', contentType: 'system' }),
  scheduledCallCreationMessage: (part) => lines('Planned call:', part.title),
};

/** The innermost message. */
export function unwrapped(message: Fields): Fields {
  let inner = message;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const next = WRAPPERS.map((name) => fieldsIn(fieldsIn(inner[name])?.message)).find((found) => found !== undefined);
    if (!next) break;
    inner = next;
  }
  return inner;
}

/** What a message says; undefined if it says nothing, such as one that only carries keys. */
export function contentOf(message: Fields): ParsedContent | undefined {
  const said = plain(message.conversation);
  if (said) return said;
  const parts = Object.keys(message).filter((name) => fieldsIn(message[name]) !== undefined);
  for (const name of parts) {
    const part = fieldsIn(message[name]);
    const content = part && Object.hasOwn(READERS, name) ? READERS[name]?.(part) : undefined;
    if (content) return content;
  }
  const other = parts.find((name) => !SILENT.has(name));
  if (other !== undefined) return unknown(`[${other.replace(/Message(V\d+)?$/, '').slice(0, 60)}]`);
  return parts.some((name) => name !== 'messageContextInfo') ? undefined : unknown('[Content of an unknown kind]');
}

/** What the part of the content that has one says about the message it is a reply to. */
export function contextOf(message: Fields): Fields | undefined {
  for (const part of Object.values(message)) {
    const context = fieldsIn(fieldsIn(part)?.contextInfo);
    if (context) return context;
  }
  return undefined;
}

function plain(value: unknown): ParsedContent | undefined {
  const text = textIn(value);
  return text === undefined ? undefined : { text, contentType: 'text' };
}

function lines(...values: unknown[]): ParsedContent | undefined {
  const said = values.map((value) => textIn(value)).filter((text) => text !== undefined);
  return said.length === 0 ? undefined : { text: said.join('\n'), contentType: 'text' };
}

function unknown(text: string): ParsedContent {
  return { text, contentType: 'unknown' };
}

function media(contentType: ContentType, kind: string, part: Fields): ParsedContent {
  const attachment = mediaAttachment(contentType, kind, part);
  return { text: textIn(part.caption) ?? '', contentType, attachments: [attachment] };
}

function location(part: Fields): ParsedContent | undefined {
  const [latitude, longitude] = [numberIn(part.degreesLatitude), numberIn(part.degreesLongitude)];
  const place = latitude === undefined || longitude === undefined ? undefined : `${latitude}, ${longitude}`;
  const found = lines(place, part.name, part.address, part.caption ?? part.comment);
  return { text: found?.text ?? '', contentType: 'location' };
}

function contact(part: Fields): string {
  const name = textIn(part.displayName, 200) ?? 'Contact';
  const numbers = [...(textIn(part.vcard) ?? '').matchAll(/^(?:item\d+\.)?TEL[^:\n]{0,200}:([+\d ()./-]{3,30})/gim)];
  return [name, ...numbers.slice(0, 5).map(([, number = '']) => number.trim())].join(' ');
}

function poll(part: Fields): ParsedContent | undefined {
  const options = listIn(part.options, MOST_OPTIONS).map((option) => textIn(fieldsIn(option)?.optionName, 300));
  return lines(`Poll: ${textIn(part.name) ?? ''}`, ...options.filter(Boolean).map((option) => `- ${option}`));
}
