/** Changes to the header of an email that leave everything else as it is, byte by byte. */
import { createHash } from 'node:crypto';

interface Split {
  /** Each with its folded lines; one character per byte. */
  fields: readonly string[];
  /** From the empty line on. */
  rest: Buffer;
}

/** The text and the files of an email: what follows the header, and the fields that say how to read it. */
export type Content = Split;

/** Replaces the fields of these names by the given lines, in the place of the first of each or at the end. */
export function withFields(raw: Uint8Array, lines: Readonly<Record<string, string | undefined>>): Buffer {
  const { fields, rest } = split(raw);
  const left = new Map(Object.entries(lines).map(([name, line]) => [name.toLowerCase(), line]));
  const placed = new Set<string>();
  const kept = fields.flatMap((field) => {
    const name = nameOf(field);
    if (!left.has(name)) return [field];
    if (placed.has(name)) return [];
    placed.add(name);
    return left.get(name) ?? [];
  });
  const added = [...left].flatMap(([name, line]) => (placed.has(name) ? [] : (line ?? [])));
  return Buffer.concat([Buffer.from([...kept, ...added].map((field) => `${field}\r\n`).join(''), 'latin1'), rest]);
}

/** The header of an email, with the text and the files of another one. */
export function withContentOf(raw: Uint8Array, other: Uint8Array): Buffer {
  return withContent(raw, contentIn(other));
}

export function withContent(raw: Uint8Array, { fields, rest }: Content): Buffer {
  const kept = split(raw).fields.filter((field) => !isOfContent(field));
  const all = [...kept, ...fields];
  return Buffer.concat([Buffer.from(all.map((field) => `${field}\r\n`).join(''), 'latin1'), rest]);
}

/** Of an email or of one of its parts. */
export function contentIn(raw: Uint8Array): Content {
  const { fields, rest } = split(raw);
  return { fields: fields.filter(isOfContent), rest };
}

/** Without what only the program that wrote a draft needs: blind recipients, where to put copies, its own settings. */
export function withoutOwnFields(raw: Uint8Array): Buffer {
  const names = split(raw)
    .fields.map(nameOf)
    .filter((name) => OWN_FIELD.test(name));
  return withFields(raw, Object.fromEntries(names.map((name) => [name, undefined])));
}

/** Of Thunderbird, KMail, Evolution, Claws Mail, Apple Mail, Mutt, Gnus, Horde, and Roundcube and its like. */
const OWN_FIELDS = [
  '(?:resent-)?bcc',
  '[fg]cc',
  'x-(?:unsent|template|(?:identity|account)-key)',
  'x-(?:mozilla|kmail|evolution|claws|sylpheed|apple|mutt)-.+',
  'x-(?:uniform-type|universally-unique)-identifier',
  'x-(?:imp-draft.*|draft-(?:info|from))',
];
const OWN_FIELD = new RegExp(`^(?:${OWN_FIELDS.join('|')})$`);

/** The field of this name with its folded lines, one character per byte. */
export function fieldOf(raw: Uint8Array, name: string): string | undefined {
  return split(raw).fields.find((field) => nameOf(field) === name.toLowerCase());
}

/** What identifies the content of a draft. Programs set its date anew when they save it. */
export function digestOf(raw: Uint8Array): string {
  return createHash('sha256')
    .update(withFields(raw, { Date: undefined }))
    .digest('base64url');
}

function split(raw: Uint8Array): Split {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const text = bytes.toString('latin1');
  if (/^\r?\n/.test(text)) return { fields: [], rest: bytes };
  const [gap] = /\r?\n\r?\n/.exec(text) ?? [];
  const end = gap === undefined ? text.length : text.indexOf(gap);
  const fields = text
    .slice(0, end)
    .split(/\r?\n(?![ \t])/)
    .filter((field) => field !== '');
  // One line break of the gap ends the last field.
  return { fields, rest: gap === undefined ? Buffer.alloc(0) : bytes.subarray(end + gap.indexOf('\n') + 1) };
}

function isOfContent(field: string): boolean {
  return /^(?:mime-version$|content-)/.test(nameOf(field));
}

function nameOf(field: string): string {
  return field
    .slice(0, Math.max(0, field.indexOf(':')))
    .trim()
    .toLowerCase();
}
