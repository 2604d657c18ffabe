import type { Attachment, ContentType } from '../../domain/chat.ts';
import { bytesIn, type Fields, numberIn, textIn } from './fields.ts';

/** Where a file is, and the key that decrypts it. Only WhatsApp's own servers are asked for it, never a URL of the sender. */
export interface MediaAddress {
  /** The kind of media in WhatsApp's words, from which its keys are derived. */
  kind: string;
  path: string;
  key: Buffer;
}

const KINDS = new Set(['image', 'video', 'audio', 'document', 'sticker']);
/** It begins with one slash, so that it cannot name another host. */
const PATH = /^\/(?!\/)[\w!$%&'()*+,./:;=?@~-]{1,2000}$/;

export function mediaAttachment(type: ContentType, kind: string, part: Fields): Attachment {
  const [name, mime, size] = [
    textIn(part.fileName ?? part.title, 255),
    textIn(part.mimetype, 100),
    numberIn(part.fileLength),
  ];
  const url = addressOf(kind, part);
  return {
    type,
    ...(name === undefined ? {} : { name }),
    ...(mime === undefined ? {} : { mime: mime.split(';')[0] ?? mime }),
    ...(size === undefined || size < 0 || !Number.isSafeInteger(size) ? {} : { size }),
    ...(url === undefined ? {} : { url }),
  };
}

function addressOf(kind: string, part: Fields): string | undefined {
  const [path, key] = [textIn(part.directPath, 2_000), bytesIn(part.mediaKey)];
  if (path === undefined || key?.length !== 32 || !PATH.test(path)) return undefined;
  return `whatsapp:${kind}/${Buffer.from(key).toString('base64url')}${path}`;
}

export function parseMediaAddress(url: string | undefined): MediaAddress | undefined {
  const [, kind, key, path] = /^whatsapp:(\w+)\/([\w-]{43})(\/.*)$/.exec(url ?? '') ?? [];
  if (kind === undefined || key === undefined || path === undefined) return undefined;
  if (!KINDS.has(kind) || !PATH.test(path)) return undefined;
  return { kind, path, key: Buffer.from(key, 'base64url') };
}
