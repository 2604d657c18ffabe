import { type HeaderBlock, type HeaderField, unfolded } from './header-fields.ts';
import { oneLine } from './one-line.ts';
import { parseParameters } from './parameters.ts';
import { type Encoding, encodingOf } from './transfer-encoding.ts';

/** Headers that every part may have. */
export const PART_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-transfer-encoding',
  'content-disposition',
  'content-id',
]);

/** One part of an email, or the email itself: where it is, and what its headers say. */
export interface Part {
  /** Its number in IMAP (RFC 3501 section 6.4.5). */
  number: string;
  /** Where its content is. */
  start: number;
  end: number;
  /** `text/plain`. */
  mime: string;
  parameters: ReadonlyMap<string, string>;
  /** Undefined if nobody knows it. */
  encoding: Encoding | undefined;
  disposition: string;
  name: string | undefined;
  hasContentId: boolean;
}

const MAX_NAME = 255;
/** Content types that are written without a subtype, or with nothing. */
const INCOMPLETE: ReadonlyMap<string, string> = new Map([
  ['', 'text/plain'],
  ['text', 'text/plain'],
  ['text/', 'text/plain'],
  ['html', 'text/html'],
  ['multipart', 'multipart/mixed'],
  ['multipart/', 'multipart/mixed'],
]);

/** `usual` is the type of a part without a content type. */
export function toPart(header: HeaderBlock, number: string, end: number, usual = 'text/plain'): Part {
  const { fields } = header;
  const type = parseParameters(fieldOf(fields, 'content-type') ?? usual);
  const disposition = parseParameters(fieldOf(fields, 'content-disposition') ?? '');
  const [mime = ''] = type.value.split(/[\s,]/, 1);
  const name = oneLine(disposition.parameters.get('filename') ?? type.parameters.get('name') ?? '', MAX_NAME);
  return {
    number,
    start: header.end,
    end,
    mime: INCOMPLETE.get(mime) ?? (VALID.test(mime) ? mime : invalidType(name)),
    parameters: type.parameters,
    encoding: encodingOf(fieldOf(fields, 'content-transfer-encoding') ?? ''),
    disposition: disposition.value,
    name: name === '' ? undefined : name,
    hasContentId: fieldOf(fields, 'content-id') !== undefined,
  };
}

const VALID = /^[\w.+!#$&^-]+\/[\w.+!#$&^-]+$/;

/** What cannot be read as a type is text (RFC 2045 section 5.2), unless it is a file. */
function invalidType(name: string): string {
  return name === '' ? 'text/plain' : 'application/octet-stream';
}

/** The first header of this name, on one line. */
export function fieldOf(fields: readonly HeaderField[], name: string): string | undefined {
  for (const field of fields) if (field.name === name) return unfolded(field.value);
  return undefined;
}

export function charsetOf({ parameters }: Pick<Part, 'parameters'>): string {
  const charset = parameters.get('charset');
  return charset === undefined ? '' : charset.replaceAll(/[\s"']|\(.*/g, '').toLowerCase();
}
