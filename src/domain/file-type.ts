import type { ContentType } from './chat.ts';

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
