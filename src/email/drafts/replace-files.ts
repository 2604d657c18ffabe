/** Other files in an email, whose text remains as it is, byte by byte. */
import type { EmailAttachment } from '../../domain/email.ts';
import { type Content, contentIn, withContent } from './raw-email.ts';

/** The text as one part, and the files that are within it. */
interface TextPart {
  part: string;
  inside: readonly EmailAttachment[];
}

/**
 * The email with the files of another one, and those within its text, such as the pictures of an HTML text. Undefined where the
 * text cannot be told from the files.
 */
export function withFilesOf(
  raw: Uint8Array,
  other: Uint8Array,
  attachments: readonly EmailAttachment[],
): { raw: Buffer; inside: readonly EmailAttachment[] } | undefined {
  const text = textPart(contentIn(raw), attachments);
  if (!text) return undefined;
  const { fields, rest } = contentIn(other);
  const placeholder = firstPart({ fields, rest });
  const content = placeholder
    ? { fields, rest: withPart(rest, placeholder, text.part) }
    : contentIn(Buffer.from(`MIME-Version: 1.0\r\n${text.part}`, 'latin1'));
  return { raw: withContent(raw, content), inside: text.inside };
}

function textPart({ fields, rest }: Content, attachments: readonly EmailAttachment[]): TextPart | undefined {
  // The email is a file and nothing else, or begins with one.
  if (attachments.some(({ part }) => part === '1')) return undefined;
  const first = firstPart({ fields, rest });
  if (!first) {
    const header = fields.filter((field) => !/^mime-version/i.test(field)).map((field) => `${field}\r\n`);
    return onlyInline(`${header.join('')}${rest.toString('latin1')}`, attachments);
  }
  const outside = new Set(attachments.map(({ part }) => part.split('.', 1)[0]).filter((each) => each !== '1'));
  // All other parts have to be files: some programs write texts between files.
  if (outside.size !== first.count - 1) return undefined;
  const part = rest.toString('latin1', first.start, first.end);
  return onlyInline(
    part,
    attachments.filter((each) => each.part.startsWith('1.')),
  );
}

function onlyInline(part: string, inside: readonly EmailAttachment[]): TextPart | undefined {
  return inside.every(({ isInline }) => isInline) ? { part, inside } : undefined;
}

interface Place {
  start: number;
  end: number;
  /** Parts in all. */
  count: number;
}

const MIXED = /^content-type\s*:\s*multipart\/mixed\b.*;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/is;

/** Where the first part of an email is that consists of a text and files. */
function firstPart({ fields, rest }: Content): Place | undefined {
  const [, quoted, token] = fields.map((field) => MIXED.exec(field)).find((found) => found !== null) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) return undefined;
  const delimiter = new RegExp(`^--${RegExp.escape(boundary)}(--)?[ \\t]*$`, 'gm');
  const found = [...rest.toString('latin1').replaceAll('\r\n', ' \n').matchAll(delimiter)];
  const end = found.findIndex(([, isLast]) => isLast !== undefined);
  const [first, second] = found;
  if (end < 1 || !first || !second) return undefined;
  const breakLength = rest[second.index - 2] === 0x0d ? 2 : 1;
  return { start: first.index + first[0].length + 1, end: second.index - breakLength, count: end };
}

function withPart(rest: Buffer, { start, end }: Place, part: string): Buffer {
  return Buffer.concat([rest.subarray(0, start), Buffer.from(part, 'latin1'), rest.subarray(end)]);
}
