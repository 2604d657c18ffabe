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
