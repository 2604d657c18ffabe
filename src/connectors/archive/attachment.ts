import type { Attachment, ContentType } from '../../domain/chat.ts';

interface Details {
  name: string | undefined;
  mime?: string | undefined;
  size?: number | undefined;
  url?: string | undefined;
}

/** Facts of an export about a file. Only web URLs are kept, because a path within the export is useless later. */
export function toAttachment(type: ContentType, { name, mime, size, url }: Details): Attachment {
  return {
    type,
    ...(name === undefined ? {} : { name }),
    ...(mime === undefined ? {} : { mime }),
    ...(size === undefined || size < 0 ? {} : { size }),
    ...(url !== undefined && /^https?:\/\//i.test(url) ? { url } : {}),
  };
}

/** Content type by media type, or by file extension if no media type is known. */
export function fileTypeOf(mime: string | undefined, name = ''): ContentType {
  const [kind] = (mime ?? '').toLowerCase().split('/');
  if (kind === 'image' || kind === 'video' || kind === 'audio') return kind;
  if (mime !== undefined && mime !== 'application/octet-stream') return 'file';
  return ENDINGS.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? 'file';
}

const ENDINGS = new Map<string, ContentType>([
  ...ofType('image', ['avif', 'bmp', 'gif', 'heic', 'jfif', 'jpeg', 'jpg', 'png', 'svg', 'tif', 'tiff', 'webp']),
  ...ofType('video', ['avi', 'm4v', 'mkv', 'mov', 'mp4', 'webm', 'wmv']),
  ...ofType('audio', ['aac', 'flac', 'm4a', 'mp3', 'oga', 'ogg', 'opus', 'wav']),
]);

function ofType(type: ContentType, endings: readonly string[]): [string, ContentType][] {
  return endings.map((ending) => [ending, type]);
}
