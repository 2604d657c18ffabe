import { decodeBytesOf, decodeCharset } from './charset.ts';
import { decodeWords } from './encoded-words.ts';
import { hexPair } from './quoted-printable.ts';

/** A header such as `Content-Type`: a value and parameters. Names of parameters and the value are in lower case. */
export interface ParameterHeader {
  value: string;
  parameters: ReadonlyMap<string, string>;
}

const MAX_HEADER = 20_000;
const MAX_PARAMETERS = 200;
const NONE: ReadonlyMap<string, string> = new Map();
/** `; name = value`, where the value is quoted or a token; junk up to the next semicolon is skipped. */
const PARAMETER = /;\s*([^\s=;"]{1,100})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))|;[^;]*/gsy;
/** `name*1*` of RFC 2231: part 1, percent-encoded. */
const EXTENDED = /^([^*]+)(?:\*(\d{1,3}))?(\*)?$/;

export function parseParameters(header: string): ParameterHeader {
  const text = header.length > MAX_HEADER ? header.slice(0, MAX_HEADER) : header;
  const semicolon = text.indexOf(';');
  if (semicolon === -1) return { value: bare(text), parameters: NONE };
  return { value: bare(text.slice(0, semicolon)), parameters: parametersIn(text, semicolon) };
}

function bare(value: string): string {
  const comment = value.indexOf('(');
  return (comment === -1 ? value : value.slice(0, comment)).trim().toLowerCase();
}

interface Section {
  index: number;
  value: string;
  isEncoded: boolean;
}

function parametersIn(text: string, start: number): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  let extended: Map<string, Section[]> | undefined;
  PARAMETER.lastIndex = start;
  for (let count = 0; count < MAX_PARAMETERS; count++) {
    const [whole, rawName, quoted, token = ''] = PARAMETER.exec(text) ?? [];
    if (whole === undefined) break;
    if (rawName === undefined) continue;
    const name = rawName.toLowerCase();
    const value = quoted === undefined ? token.replace(/^"|\s+$/g, '') : unescaped(quoted);
    if (name.includes('*')) {
      extended ??= new Map();
      addSection(extended, name, value);
    } else if (!parameters.has(name)) parameters.set(name, isFileName(name) ? decodeWords(value) : value);
    skipJunk(text);
  }
  // They are written for programs that know them, beside a plain one for those that do not.
  for (const [name, sections] of extended ?? []) parameters.set(name, joined(sections));
  return parameters;
}

/** Programs write encoded words into these only, although they are not allowed there. */
function isFileName(name: string): boolean {
  return name === 'filename' || name === 'name';
}

/** Between the end of a quoted value and the next semicolon. */
function skipJunk(text: string): void {
  const semicolon = text.indexOf(';', PARAMETER.lastIndex);
  PARAMETER.lastIndex = semicolon === -1 ? text.length : semicolon;
}

/** Windows programs write paths with backslashes that escape nothing. */
function unescaped(quoted: string): string {
  return quoted.includes('\\') ? quoted.replaceAll(/\\(["\\])/g, '$1') : quoted;
}

function addSection(extended: Map<string, Section[]>, name: string, value: string): void {
  const [, base, index = '0', star] = EXTENDED.exec(name) ?? [];
  if (base === undefined) return;
  const sections = extended.get(base) ?? [];
  sections.push({ index: Number(index), value, isEncoded: star !== undefined });
  extended.set(base, sections);
}

/** The first section names the character set: `utf-8'en'`. Percent-encoded bytes of all sections are decoded together. */
function joined(sections: Section[]): string {
  const [first, ...others] = sections.toSorted((a, b) => a.index - b.index);
  if (first === undefined) return '';
  const [, charset, beginning] = (first.isEncoded && /^([^']*)'[^']*'(.*)$/s.exec(first.value)) || [];
  if (charset === undefined && !sections.some(({ isEncoded }) => isEncoded)) {
    return decodeWords(sections.length === 1 ? first.value : [first, ...others].map(({ value }) => value).join(''));
  }
  const pieces = [{ ...first, value: beginning ?? first.value }, ...others];
  const bytes = Buffer.concat(
    pieces.map(({ value, isEncoded }) => (isEncoded ? decodePercent(value) : Buffer.from(value, 'latin1'))),
  );
  return charset === undefined || charset === ''
    ? decodeBytesOf(bytes.toString('latin1'))
    : decodeCharset(bytes, charset);
}

function decodePercent(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const decoded = bytes[at] === 0x25 ? hexPair(bytes[at + 1], bytes[at + 2]) : -1;
    bytes[length++] = decoded === -1 ? (bytes[at] as number) : decoded;
    if (decoded !== -1) at += 2;
  }
  return bytes.subarray(0, length);
}
