/** Parts of an email (RFC 2045, 2046), as lines of a header and encoded content in ASCII. */
import { encode, wrap } from 'nodemailer/lib/qp';
import type { DraftContent } from '../../mail-connector.ts';
import { oneLine } from './header-fields.ts';

export interface Part {
  header: readonly string[];
  content: string;
}

type DraftAttachment = DraftContent['attachments'][number];

/** Characters of base64 in a line. */
const LINE = 76;
const MAX_NAME = 200;

export function textPart(kind: 'plain' | 'html', text: string): Part {
  const bytes = Buffer.from(text.toWellFormed().replaceAll(/\r\n?|\n/g, '\r\n'));
  const quoted = wrap(encode(bytes), LINE);
  const base64 = base64Of(bytes);
  const [encoding, content] = quoted.length <= base64.length * 1.3 ? ['quoted-printable', quoted] : ['base64', base64];
  return {
    header: [`Content-Type: text/${kind}; charset=utf-8`, `Content-Transfer-Encoding: ${encoding}`],
    content,
  };
}

export function attachmentPart({ name, mime, content }: DraftAttachment): Part {
  const filename = safeFileName(name);
  return {
    header: [
      parameters('Content-Type', safeMime(mime), { name: filename }),
      parameters('Content-Disposition', 'attachment', { filename }),
      'Content-Transfer-Encoding: base64',
    ],
    content: base64Of(Buffer.from(content.buffer, content.byteOffset, content.byteLength)),
  };
}

/** The boundary begins with `=_`, which neither quoted-printable nor base64 can contain. */
export function multipart(kind: 'alternative' | 'mixed', boundary: string, parts: readonly Part[]): Part {
  const delimiter = `--=_${boundary}`;
  const bodies = parts.flatMap((part) => [delimiter, ...part.header, '', part.content]);
  return {
    header: [`Content-Type: multipart/${kind};\r\n boundary="=_${boundary}"`],
    content: [...bodies, `${delimiter}--`, ''].join('\r\n'),
  };
}

/** A name without folders and line breaks, with characters that every system allows in names of files. */
function safeFileName(name: string): string {
  return oneLine(name, MAX_NAME).replaceAll(/[/\\?*:|"<>]/g, '_') || 'attachment';
}

/** Types whose content must not be encoded (RFC 2046, 5.2.1) are sent as plain bytes. */
function safeMime(mime: string): string {
  const isType = /^[a-z\d][a-z\d!#$&^_.+-]{0,80}\/[a-z\d][a-z\d!#$&^_.+-]{0,80}$/i.test(mime);
  return isType && !/^(?:multipart|message)\//i.test(mime) ? mime.toLowerCase() : 'application/octet-stream';
}

function parameters(field: string, value: string, params: Record<string, string>): string {
  return [`${field}: ${value}`, ...Object.entries(params).flatMap(([name, text]) => parameter(name, text))].join(
    ';\r\n ',
  );
}

/** As RFC 2231 encodes it, in pieces where it is long. */
function parameter(name: string, value: string): string[] {
  if (/^[\w.+-](?:[\w .,()+-]{0,58}[\w.+)-])?$/.test(value)) return [`${name}="${value}"`];
  const pieces: string[] = [];
  let piece = "utf-8''";
  for (const character of value) {
    const encoded = encodeURIComponent(character).replaceAll(/[!'()*]/g, percentOf);
    if (piece.length + encoded.length > 60) {
      pieces.push(piece);
      piece = '';
    }
    piece += encoded;
  }
  const all = [...pieces, piece];
  return all.length === 1 ? [`${name}*=${piece}`] : all.map((each, index) => `${name}*${index}*=${each}`);
}

function percentOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function base64Of(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll(/.{76}(?=.)/g, '$&\r\n');
}
