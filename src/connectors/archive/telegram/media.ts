import type { Attachment, ContentType } from '../../../domain/chat.ts';
import { toAttachment } from '../attachment.ts';
import { asFields, type Fields, integerField, numberField, recordsField, textField } from '../json-fields.ts';

/** Content of a message besides its text. */
export interface Media {
  contentType: ContentType;
  attachment?: Attachment;
  /** A text for messages that have none. */
  text?: string;
}

const TYPE_OF_MEDIA: ReadonlyMap<string, ContentType> = new Map([
  ['sticker', 'sticker'],
  ['video_message', 'video'],
  ['voice_message', 'audio'],
  ['animation', 'video'],
  ['video_file', 'video'],
  ['audio_file', 'audio'],
]);

/** Undefined if there is only text. */
export function mediaOf(message: Fields): Media | undefined {
  if ('photo' in message) return photoOf(message);
  if ('file' in message || 'media_type' in message) return fileOf(message);
  const contact = asFields(message.contact_information);
  if (contact) return { contentType: 'contact', text: contactText(contact) };
  const location = asFields(message.location_information);
  if (location) return { contentType: 'location', text: locationText(message, location) };
  const poll = asFields(message.poll);
  if (poll) return { contentType: 'text', text: pollText(poll) };
  const text = otherText(message);
  return text === undefined ? undefined : { contentType: 'text', text };
}

/** What has a text of its own beside that of the message. */
function otherText(message: Fields): string | undefined {
  const invoice = asFields(message.invoice_information);
  if (invoice) return joined([named('Invoice', textField(invoice, 'title')), textField(invoice, 'description')]);
  const game = textField(message, 'game_title');
  if (game !== undefined) return joined([named('Game', game), textField(message, 'game_description')]);
  const list = asFields(message.todo_list);
  if (list)
    return joined([
      named('Checklist', spoken(list.title)),
      ...recordsField(list, 'answers').map(({ text }) => `- ${spoken(text)}`),
    ]);
  const giveaway = asFields(message.giveaway_information) ?? asFields(message.giveaway_results);
  return giveaway && named('Giveaway', textField(giveaway, 'additional_prize'));
}

function named(kind: string, name: string | undefined): string {
  return name ? `${kind}: ${name}` : kind;
}

function joined(lines: readonly (string | undefined)[]): string {
  return lines.filter((line) => line !== undefined && line !== '').join('\n');
}

function photoOf(message: Fields): Media {
  return { contentType: 'image', attachment: attachmentOf(message, 'photo', 'image') };
}

function fileOf(message: Fields): Media {
  const contentType = TYPE_OF_MEDIA.get(textField(message, 'media_type') ?? '') ?? 'file';
  const emoji = contentType === 'sticker' ? textField(message, 'sticker_emoji') : undefined;
  return {
    contentType,
    attachment: attachmentOf(message, 'file', contentType),
    ...(emoji === undefined ? {} : { text: emoji }),
  };
}

function attachmentOf(message: Fields, field: 'photo' | 'file', type: ContentType): Attachment {
  return toAttachment(type, {
    name: textField(message, 'file_name') ?? fileName(textField(message, field)),
    mime: field === 'file' ? textField(message, 'mime_type') : undefined,
    size: integerField(message, `${field}_file_size`) ?? integerField(message, 'file_size'),
  });
}

/** The last part of a path; for a file that was not exported there is a sentence in parentheses instead. */
function fileName(path: string | undefined): string | undefined {
  if (path === undefined || path.startsWith('(')) return undefined;
  return path.slice(path.lastIndexOf('/') + 1) || undefined;
}

function contactText(contact: Fields): string {
  return ['first_name', 'last_name', 'phone_number'].flatMap((field) => textField(contact, field) ?? []).join(' ');
}

function locationText(message: Fields, location: Fields): string {
  const place = ['place_name', 'address'].flatMap((field) => textField(message, field) ?? []);
  const [latitude, longitude] = [numberField(location, 'latitude'), numberField(location, 'longitude')];
  return [...place, ...(latitude === undefined || longitude === undefined ? [] : [`${latitude}, ${longitude}`])].join(
    ', ',
  );
}

function pollText(poll: Fields): string {
  const answers = recordsField(poll, 'answers').map((answer) => {
    const voters = integerField(answer, 'voters') ?? 0;
    return `- ${spoken(answer.text)} (${voters})`;
  });
  return [`Poll: ${spoken(poll.question)}`, ...answers].join('\n');
}

/** Newer exports have formatted questions and answers of polls. */
function spoken(value: unknown): string {
  if (typeof value === 'string') return value;
  const parts = Array.isArray(value) ? value : [value];
  return parts
    .map((part) => (typeof part === 'string' ? part : (textField(asFields(part) ?? {}, 'text') ?? '')))
    .join('');
}
