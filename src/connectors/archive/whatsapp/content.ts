import type { Attachment, ContentType } from '../../../domain/chat.ts';
import { omittedThing, saysDeleted, saysEdited, saysOmitted } from './phrases.ts';
import { plain } from './plain.ts';

/** Content of a message. */
export interface WhatsappContent {
  text: string;
  contentType: ContentType;
  attachment?: Attachment;
  isEdited: boolean;
  isDeleted: boolean;
  /** A system message: it begins with a mark that people do not type. */
  isMarked: boolean;
}

const MARK = '\u200E';
/** `<attached: 00000042-PHOTO-2024-06-13-15-04-05.jpg>` of iPhones, in any language. */
const ATTACHED = /\u200E?<[^<>:：\n]{2,40}[:：]\s?([^<>\n]{1,200}\.[\p{L}\d]{1,8})>\s*$/u;
/** `IMG-20240613-WA0001.jpg (file attached)` of Android, in any language. */
const WITH_FILE = /^\u200E?([^\n]{1,200}\.[\p{L}\d]{1,8})[\p{Zs}]\(([^()\n]{3,60})\)(?:\n|$)/u;
const FILE_OF_WHATSAPP = /^(?:IMG|VID|AUD|PTT|STK|DOC)-\d{8}-WA\d+/;
const FILE_WORDS =
  /fil|datei|archiv|fichier|arquivo|bestand|tiedosto|файл|dosya|plik|फ़ाइल|ملف|파일|ファイル|檔|文件|adjunt|attach|anex|joint|liit|приклеп|bilag|załącz/iu;
const IN_ANGLES = /^\u200E?<([^<>\n]{3,80})>(?:\n|$)/u;
const EDIT_MARK = /[\p{Zs}]?\u200E?<([^<>\n]{3,80})>\s*$/u;
const PLACE = /https:\/\/(?:maps\.google\.com\/\?q=|foursquare\.com\/v\/|maps\.apple\.com\/)/;

/** Parses the lines of a message. */
export function contentOf(written: string): WhatsappContent {
  const isMarked = written.startsWith(MARK);
  const { text: unedited, isEdited } = withoutEditMark(written);
  if (saysDeleted(unedited)) {
    return { text: '', contentType: 'text', isEdited: false, isDeleted: true, isMarked };
  }
  const { text, attachment } = withoutAttachment(unedited);
  const contentType = attachment?.type ?? (isMarkedPlace(text) ? 'location' : 'text');
  return {
    text: readable(text),
    contentType,
    ...(attachment ? { attachment } : {}),
    isEdited,
    isDeleted: false,
    isMarked,
  };
}

function withoutEditMark(text: string): { text: string; isEdited: boolean } {
  const found = EDIT_MARK.exec(text);
  if (!found || !saysEdited(found[1] ?? '')) return { text, isEdited: false };
  return { text: text.slice(0, found.index), isEdited: true };
}

/** The caption is before the file on iPhones and after it on Android. */
function withoutAttachment(text: string): { text: string; attachment?: Attachment } {
  const attached = ATTACHED.exec(text);
  if (attached) return { text: text.slice(0, attached.index), attachment: named(attached[1] ?? '') };
  const file = WITH_FILE.exec(text);
  if (file && isFileNote(file[1] ?? '', file[2] ?? '')) {
    return { text: text.slice(file[0].length), attachment: named(file[1] ?? '') };
  }
  const angles = IN_ANGLES.exec(text);
  if (angles && saysOmitted(angles[1] ?? '')) {
    return { text: text.slice(angles[0].length), attachment: { type: 'unknown' } };
  }
  return withoutOmitted(text);
}

function isFileNote(name: string, note: string): boolean {
  return FILE_OF_WHATSAPP.test(plain(name)) || FILE_WORDS.test(note);
}

/** The name of a document is before the phrase: `report.pdf • ‎3 pages ‎document omitted`. */
function withoutOmitted(text: string): { text: string; attachment?: Attachment } {
  const start = text.lastIndexOf(MARK) + 1;
  const type = omittedThing(text.slice(start));
  if (!type) return { text };
  const before = plain(text.slice(0, Math.max(start - 1, 0)));
  const name = type === 'file' ? /^(.{1,200}?\.[\p{L}\d]{1,8})(?: •|$)/u.exec(before)?.[1] : undefined;
  return { text: name === undefined ? before : '', attachment: { type, ...(name === undefined ? {} : { name }) } };
}

const TYPE_OF_PREFIX: readonly (readonly [RegExp, ContentType])[] = [
  [/^IMG-|-PHOTO-/, 'image'],
  [/^VID-|-VIDEO-|-GIF-/, 'video'],
  [/^(?:PTT|AUD)-|-AUDIO-/, 'audio'],
  [/^STK-|-STICKER-/, 'sticker'],
];

const TYPE_OF_ENDING: readonly (readonly [RegExp, ContentType])[] = [
  [/\.(?:jpe?g|png|gif|heic|webp|avif|bmp|tiff?)$/i, 'image'],
  [/\.(?:mp4|mov|3gp|m4v|mkv|webm|avi)$/i, 'video'],
  [/\.(?:opus|ogg|m4a|mp3|aac|wav|amr)$/i, 'audio'],
  [/\.vcf$/i, 'contact'],
];

function named(written: string): Attachment {
  const name = plain(written).replaceAll(/.*[/\\]/g, '');
  const [, type = 'file'] = [...TYPE_OF_PREFIX, ...TYPE_OF_ENDING].find(([pattern]) => pattern.test(name)) ?? [];
  return { type, name };
}

function isMarkedPlace(text: string): boolean {
  return PLACE.test(text) && plain(text).split(/\s/).length <= 12;
}

/** Mentioned names are between isolate marks; the first mark of all belongs to WhatsApp. */
function readable(text: string): string {
  return text
    .replace(/^\u200E+/, '')
    .replaceAll(/@\u2068([^\u2069\n]*)\u2069/g, '@$1')
    .trim();
}
