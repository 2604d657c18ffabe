import { isAscii, isUtf8 } from 'node:buffer';
import { escapedCharset, evidenceIn } from './charset-in-bytes.ts';
import { LEGACY_CHARSETS } from './legacy-charsets.ts';

/** Names that mail programs write and that `TextDecoder` does not know, without their punctuation. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['cp932', 'shift_jis'],
  ['shiftjisms', 'shift_jis'],
  ['cp936', 'gbk'],
  ['windows936', 'gbk'],
  ['gb23121980', 'gbk'],
  ['cp949', 'euc-kr'],
  ['uhc', 'euc-kr'],
  ['cp950', 'big5'],
  ['cp50220', 'iso-2022-jp'],
  ['cp50221', 'iso-2022-jp'],
  ['cp51932', 'euc-jp'],
  ['iso2022jp1', 'iso-2022-jp'],
  ['iso2022jp2', 'iso-2022-jp'],
  ['iso2022jpms', 'iso-2022-jp'],
  ['jis', 'iso-2022-jp'],
  ['iso2022kr', 'iso-2022-kr'],
  ['hz', 'hz-gb-2312'],
  ['hzgb2312', 'hz-gb-2312'],
  ['utf7', 'utf-7'],
  ['xutf7', 'utf-7'],
  ['utf8mb4', 'utf-8'],
  ['cp65001', 'utf-8'],
  ['xunicode20utf8', 'utf-8'],
  ['cp65000', 'utf-7'],
  ['ibm437', 'cp437'],
  ['437', 'cp437'],
  ['ibm850', 'cp850'],
  ['850', 'cp850'],
  ['macroman', 'macintosh'],
  ['latin1', 'windows-1252'],
  ['ansi', 'windows-1252'],
]);
/** Written where the program does not know it. */
const UNKNOWN = new Set([
  '',
  'xunknown',
  'unknown',
  'unknown8bit',
  'default',
  'defaultcharset',
  'binary',
  '8bit',
  '7bit',
]);
/** A name that nobody knows; characters that are wrong or missing in the text. */
export type CharsetProblem = 'unknownCharset' | 'undecoded';
export type ReportCharset = (problem: CharsetProblem) => void;

type Decode = (bytes: Buffer, report: ReportCharset, isCut: boolean) => string;

const decoders = new Map<string, Decode>([
  ['utf-8', decodeUtf8],
  ['utf8', decodeUtf8],
  ['us-ascii', guess],
]);
const MAX_DECODERS = 100;
/** So many characters of UTF-8 do not occur by chance. */
const MIN_CHARACTERS = 3;

const windows1252 = new TextDecoder('windows-1252');

/**
 * The text that the bytes encode. A missing or wrong name of the character set is guessed: what the bytes show themselves,
 * UTF-8 if it is valid, else Windows-1252. `report` is called for a name that nobody knows, and for what was not decoded.
 * `isCut`: bytes are missing at the end, so that the last character may be incomplete; it is left out.
 */
export function decodeCharset(bytes: Buffer, charset: string, report: ReportCharset = () => {}, isCut = false): string {
  const known = decoders.get(charset);
  if (known) return known(bytes, report, isCut);
  const decode = decoderOf(charset.toLowerCase());
  if (decode === undefined) report('unknownCharset');
  else if (decoders.size < MAX_DECODERS) decoders.set(charset, decode);
  return (decode ?? guess)(bytes, report, isCut);
}

function decoderOf(name: string): Decode | undefined {
  const plain = name.replaceAll(/[^a-z\d]/g, '');
  if (UNKNOWN.has(plain)) return guess;
  const [, page] = /^(?:cp|win|windows|ms|xcp|microsoftcp)(125\d|874)$/.exec(plain) ?? [];
  const [, part] = /^iso8859(1?\d)(?:i|e)?$/.exec(plain) ?? [];
  const standard = ALIASES.get(plain) ?? (page ? `windows-${page}` : undefined) ?? (part ? `iso-8859-${part}` : name);
  return LEGACY_CHARSETS.get(standard) ?? webDecoder(standard);
}

function webDecoder(label: string): Decode | undefined {
  try {
    const decoder = new TextDecoder(label);
    if (decoder.encoding === 'utf-8') return decodeUtf8;
    // The label of programs that do not know better: text in UTF-8 cannot be mistaken for Windows-1252.
    if (decoder.encoding === 'windows-1252') return (bytes, report) => guessed(bytes, report, true);
    if (decoder.encoding === 'x-user-defined') return guess;
    return (bytes, report, isCut) => decodeAs(decoder, bytes, report, isCut);
  } catch {
    return undefined;
  }
}

/** In the character set that is named, unless the bytes contradict it. */
function decodeAs(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Buffer,
  report: ReportCharset,
  isCut: boolean,
): string {
  const whole = isCut ? withoutCutCharacter(bytes) : bytes;
  const mayBeUtf8 = isUtf8(whole) && !isAscii(whole) && !decoder.encoding.startsWith('utf-16');
  if (mayBeUtf8 && countUtf8(whole).valid >= MIN_CHARACTERS) return withoutMark(whole.toString('utf8'));
  // One of its own, which keeps an incomplete character for bytes that never come.
  const text = isCut ? new TextDecoder(decoder.encoding).decode(bytes, { stream: true }) : decoder.decode(bytes);
  if (!text.includes('\ufffd')) return text;
  const wrong = text.split('\ufffd').length - 1;
  if (wrong * 2 > (text.match(/[^\0-\x7f]/g)?.length ?? 0)) return guess(bytes, report);
  return checked(text, report);
}

/** Some bad bytes do not make it another character set; if most characters are invalid, it is one. */
function decodeUtf8(given: Buffer, report: ReportCharset, isCut: boolean): string {
  const bytes = isCut ? withoutCutCharacter(given) : given;
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (isUtf8(bytes)) return withoutMark(bytes.toString('utf8'));
  const { valid, stray } = countUtf8(bytes);
  if (valid < stray) return guess(bytes, report);
  report('undecoded');
  return withoutMark(bytes.toString('utf8'));
}

function guess(bytes: Buffer, report: ReportCharset): string {
  return guessed(bytes, report, false);
}

/** `isNamed`: Windows-1252 is what the text is said to be in. */
function guessed(bytes: Buffer, report: ReportCharset, isNamed: boolean): string {
  const escaped = bytes.includes(ESCAPE) ? escapedCharset(bytes.toString('latin1')) : undefined;
  if (escaped !== undefined) return checked((LEGACY_CHARSETS.get(escaped) ?? webText(escaped))(bytes), report);
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (isUtf8(bytes)) return withoutMark(bytes.toString('utf8'));
  const whole = withoutCutCharacter(bytes);
  if (isUtf8(whole) && !isAscii(whole)) return withoutMark(whole.toString('utf8'));
  const { valid, stray } = countUtf8(bytes);
  // A reply in another character set than what it quotes.
  if (valid >= MIN_CHARACTERS && valid >= stray) return eachInItsOwn(bytes);
  const evidence = evidenceIn(bytes);
  if (evidence.kind === 'certain') return new TextDecoder(evidence.charset).decode(bytes);
  const isDoubtful = evidence.kind === 'unknown' || (evidence.kind === 'few' && !isNamed);
  if (isDoubtful || UNASSIGNED.test(bytes.toString('latin1'))) report('undecoded');
  return windows1252.decode(bytes);
}

function webText(charset: string): (bytes: Buffer) => string {
  return (bytes) => new TextDecoder(charset).decode(bytes);
}

function checked(text: string, report: ReportCharset): string {
  if (text.includes('\ufffd')) report('undecoded');
  return text;
}

const ESCAPE = 0x1b;
/** Bytes without a character in Windows-1252. */
const UNASSIGNED = /[\x81\x8d\x8f\x90\x9d]/;
/** A character of UTF-8 above 127, or a byte that is in none. */
const CHARACTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g;

function countUtf8(bytes: Buffer): { valid: number; stray: number } {
  let [valid, stray] = [0, 0];
  for (const [character] of bytes.toString('latin1').matchAll(CHARACTER)) {
    if (character.length > 1) valid += 1;
    else stray += 1;
  }
  return { valid, stray };
}

function eachInItsOwn(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll(CHARACTER, (character) => {
    const own = Buffer.from(character, 'latin1');
    return isUtf8(own) ? own.toString('utf8') : windows1252.decode(own);
  });
}

/** Without a last character that is incomplete in UTF-8, because a long text was cut. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  for (const missing of [1, 2, 3] as const) {
    const byte = bytes[bytes.length - missing] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return byte >= LEADS[missing] ? bytes.subarray(0, -missing) : bytes;
  }
  return bytes;
}

/** The first byte of a character that needs more bytes than these. */
const LEADS = [0, 0xc0, 0xe0, 0xf0] as const;

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** A header value without an encoding: its characters are bytes, in UTF-8 or in the character set of the text below it. */
export function decodeBytesOf(value: string, charset = '', report?: ReportCharset): string {
  if (!/[\x1b\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return decodeCharset(bytes, isUtf8(bytes) ? '' : charset, report);
}
