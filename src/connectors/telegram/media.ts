import type { tl } from '@mtcute/core';
import type { Attachment, ContentType } from '../../domain/chat.ts';

export interface Media {
  contentType: ContentType;
  /** Shown where the message has no text of its own. */
  text?: string;
  attachment?: Attachment;
}

const MAX_NAME = 255;
const MAX_ANSWERS = 30;

/** What a message has besides its text. `url` is what a file of it is downloaded by. */
export function mediaOf(media: tl.TypeMessageMedia | undefined, url: string): Media | undefined {
  if (!media) return undefined;
  switch (media._) {
    case 'messageMediaEmpty':
    case 'messageMediaWebPage':
      return undefined;
    case 'messageMediaPhoto':
      return { contentType: 'image', attachment: { type: 'image', mime: 'image/jpeg', ...sizeOf(media), url } };
    case 'messageMediaDocument':
      return fileOf(media, url);
    case 'messageMediaGeo':
    case 'messageMediaGeoLive':
      return { contentType: 'location', text: placeOf(media.geo) };
    case 'messageMediaVenue':
      return { contentType: 'location', text: joined([media.title, media.address, placeOf(media.geo)], ', ') };
    case 'messageMediaContact':
      return { contentType: 'contact', text: joined([media.firstName, media.lastName, media.phoneNumber], ' ') };
    case 'messageMediaPoll':
      return { contentType: 'text', text: pollOf(media.poll) };
    case 'messageMediaDice':
      return { contentType: 'text', text: `${media.emoticon} ${media.value}` };
    case 'messageMediaGame':
      return { contentType: 'text', text: joined(['Game:', media.game.title], ' ') };
    case 'messageMediaInvoice':
      return { contentType: 'text', text: joined(['Invoice:', media.title], ' ') };
    default:
      return { contentType: 'unknown', text: `[${named(media._.replace(/^messageMedia/, ''))}]` };
  }
}

function fileOf({ document }: tl.RawMessageMediaDocument, url: string): Media {
  if (document?._ !== 'document') return { contentType: 'file', text: '[File that is no longer available]' };
  const attributes = new Map(document.attributes.map((attribute) => [attribute._, attribute]));
  const name = attributes.get('documentAttributeFilename');
  const type = typeOf(attributes);
  const sticker = attributes.get('documentAttributeSticker');
  return {
    contentType: type,
    ...(sticker?._ === 'documentAttributeSticker' && sticker.alt ? { text: sticker.alt } : {}),
    attachment: {
      type,
      ...(name?._ === 'documentAttributeFilename' ? { name: name.fileName.slice(0, MAX_NAME) } : {}),
      ...(document.mimeType ? { mime: document.mimeType.slice(0, MAX_NAME) } : {}),
      size: document.size,
      url,
    },
  };
}

function typeOf(attributes: ReadonlyMap<string, tl.TypeDocumentAttribute>): ContentType {
  if (attributes.has('documentAttributeSticker')) return 'sticker';
  if (attributes.has('documentAttributeVideo') || attributes.has('documentAttributeAnimated')) return 'video';
  if (attributes.has('documentAttributeAudio')) return 'audio';
  return attributes.has('documentAttributeImageSize') ? 'image' : 'file';
}

function sizeOf({ photo }: tl.RawMessageMediaPhoto): { size?: number } {
  const size = photo && largestOf(photo)?.size;
  return size === undefined ? {} : { size };
}

/** The largest version of a photo that can be downloaded. */
export function largestOf(photo: tl.TypePhoto): { type: string; size: number } | undefined {
  if (photo._ !== 'photo') return undefined;
  return photo.sizes
    .flatMap((each) => {
      if (each._ === 'photoSize') return [{ type: each.type, size: each.size }];
      return each._ === 'photoSizeProgressive' ? [{ type: each.type, size: Math.max(0, ...each.sizes) }] : [];
    })
    .reduce<{ type: string; size: number } | undefined>(
      (best, each) => (best && best.size >= each.size ? best : each),
      undefined,
    );
}

function placeOf(geo: tl.TypeGeoPoint): string {
  return geo._ === 'geoPoint' ? `${geo.lat}, ${geo.long}` : '';
}

function pollOf({ question, answers }: tl.TypePoll): string {
  const lines = answers
    .slice(0, MAX_ANSWERS)
    .map((answer) => ('text' in answer && typeof answer.text === 'object' ? `- ${answer.text.text}` : '-'));
  return [`Poll: ${question.text}`, ...lines].join('\n');
}

/** `PaidMedia` as `paid media`. */
function named(kind: string): string {
  return kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

function joined(parts: readonly (string | undefined)[], separator: string): string {
  return parts.filter(Boolean).join(separator);
}
