import type { Attachment, ContentType } from '../../../domain/chat.ts';
import { toAttachment } from '../attachment.ts';
import { allWith, childrenWith, findWith, type HtmlElement, textIn } from './html-nodes.ts';
import type { Media } from './media.ts';

const SHOWN: Readonly<Record<string, ContentType>> = {
  photo_wrap: 'image',
  video_file_wrap: 'video',
  animated_wrap: 'video',
  sticker_wrap: 'sticker',
};
const LISTED: Readonly<Record<string, ContentType>> = {
  media_photo: 'image',
  media_video: 'video',
  media_voice_message: 'audio',
  media_audio_file: 'audio',
  media_file: 'file',
};

/** Content of a message besides its text; undefined if there is none. */
export function htmlMediaOf(content: HtmlElement): (Media & { isCall?: boolean }) | undefined {
  const [wrap] = childrenWith(content, 'media_wrap');
  if (!wrap) return undefined;
  const poll = findWith(wrap, 'media_poll');
  if (poll) return { contentType: 'text', text: pollText(poll) };
  const media = wrap.children.find((child) => typeof child !== 'string');
  if (!media || typeof media === 'string') return undefined;
  const shown = Object.keys(SHOWN).find((name) => media.classes.has(name));
  if (shown !== undefined) return fileOf(SHOWN[shown] ?? 'file', media);
  const listed = Object.keys(LISTED).find((name) => media.classes.has(name));
  if (listed !== undefined) return listedFile(LISTED[listed] ?? 'file', media);
  return otherMedia(media);
}

function listedFile(type: ContentType, media: HtmlElement): Media {
  const title = part(media, 'title');
  return title === 'Sticker' ? fileOf('sticker', media) : fileOf(type, media, type === 'file' ? title : undefined);
}

function fileOf(contentType: ContentType, { attributes }: HtmlElement, title?: string): Media {
  const path = attributes.href ?? '';
  const name = title || path.slice(path.lastIndexOf('/') + 1) || undefined;
  const attachment: Attachment = toAttachment(contentType, { name });
  return { contentType, attachment };
}

function otherMedia(media: HtmlElement): Media & { isCall?: boolean } {
  const [title, description, status] = [part(media, 'title'), part(media, 'description'), part(media, 'status')];
  const has = (name: string) => media.classes.has(name);
  const joined = (parts: readonly string[], by: string) => parts.filter((each) => each !== '').join(by);
  if (has('media_call')) return { contentType: 'system', text: joined(['Call', status], ': '), isCall: true };
  if (has('media_contact'))
    return { contentType: 'contact', text: joined([title, status.replace(/ - vCard$/, '')], ' ') };
  if (has('media_location') || has('media_live_location')) return { contentType: 'location', text: status };
  if (has('media_venue')) return { contentType: 'location', text: joined([title, description], ', ') };
  return { contentType: 'text', text: joined([title, description, status], '\n') };
}

function part(media: HtmlElement, name: string): string {
  const found = findWith(media, name);
  return found ? textIn(found).trim() : '';
}

/** As in `media.ts`, so that both exports of a poll read alike. */
function pollText(poll: HtmlElement): string {
  const answers = allWith(poll, 'answer').map((answer) => {
    const details = findWith(answer, 'details');
    const [votes = '0'] = /^\d+/.exec(details ? textIn(details) : '') ?? [];
    const text = textIn(answer, (child) => (child.classes.has('details') ? '' : undefined)).trim();
    return `${text} (${votes})`;
  });
  return [`Poll: ${part(poll, 'question')}`, ...answers].join('\n');
}
