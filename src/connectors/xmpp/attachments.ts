import type { Attachment, ContentType } from '../../domain/chat.ts';
import { NS } from './namespaces.ts';
import type { Element } from './xml.ts';

const MOST = 50;
const EXTENSIONS: Readonly<Record<string, ContentType>> = {
  ...of('image', 'jpg', 'jpeg', 'png', 'gif', 'webp', 'avif', 'heic', 'svg', 'bmp'),
  ...of('video', 'mp4', 'webm', 'mov', 'mkv', 'avi', '3gp'),
  ...of('audio', 'mp3', 'ogg', 'oga', 'opus', 'm4a', 'wav', 'flac', 'aac'),
};

/** Files of a message in all known formats: XEP-0447, XEP-0385, XEP-0066. Each URL once. */
export function attachmentsOf(message: Element): readonly Attachment[] {
  const found = [...shared(message), ...referenced(message), ...outOfBand(message)];
  const seen = new Set<string | undefined>();
  return found.filter(({ url }) => !seen.has(url) && seen.add(url)).slice(0, MOST);
}

function shared(message: Element): Attachment[] {
  return message.getChildren('file-sharing', NS.fileSharing).map((sharing) => {
    const url = sharing.getChild('sources')?.getChild('url-data', NS.urlData)?.attrs.target;
    return described(sharing.getChild('file', NS.fileMetadata), url);
  });
}

function referenced(message: Element): Attachment[] {
  const sharings = message
    .getChildren('reference', NS.reference)
    .map((reference) => reference.getChild('media-sharing', NS.mediaSharing))
    .filter((sharing) => sharing !== undefined);
  return sharings.map((sharing) => {
    const url = sharing.getChild('sources')?.getChild('reference', NS.reference)?.attrs.uri;
    return described(sharing.getChild('file', NS.jingleFile), url);
  });
}

function outOfBand(message: Element): Attachment[] {
  const urls = message.getChildren('x', NS.outOfBand).map((x) => x.getChildText('url')?.trim());
  return urls.filter((url) => url !== undefined && url !== '').map((url) => described(undefined, url));
}

function described(file: Element | undefined, url: string | undefined): Attachment {
  const name = file?.getChildText('name') || (url === undefined ? undefined : nameIn(url));
  const mime = file?.getChildText('media-type') || undefined;
  const size = file?.getChildText('size') ?? '';
  return {
    type: typeOf(mime, name),
    ...(name === undefined ? {} : { name }),
    ...(mime === undefined ? {} : { mime }),
    ...(/^\d{1,15}$/.test(size) ? { size: Number(size) } : {}),
    ...(url === undefined ? {} : { url }),
  };
}

function typeOf(mime: string | undefined, name: string | undefined): ContentType {
  const [family] = mime?.split('/') ?? [];
  if (family === 'image' || family === 'video' || family === 'audio') return family;
  const extension = /\.([a-z0-9]{1,5})$/i.exec(name ?? '')?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined) ?? 'file';
}

function nameIn(url: string): string | undefined {
  const last = URL.parse(url)?.pathname.split('/').at(-1);
  if (!last) return undefined;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

function of(type: ContentType, ...extensions: string[]): Record<string, ContentType> {
  return Object.fromEntries(extensions.map((extension) => [extension, type]));
}
