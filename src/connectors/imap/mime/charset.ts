import { isAscii, isUtf8 } from 'node:buffer';
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
type Decode = (bytes: Buffer) => string;

const decoders = new Map<string, Decode>([
  ['utf-8', decodeUtf8],
  ['utf8', decodeUtf8],
  ['us-ascii', guess],
]);
const MAX_DECODERS = 100;

const windows1252 = new TextDecoder('windows-1252');

/**
 * The text that the bytes encode. A missing or wrong name of the character set is guessed: UTF-8 if it is valid, else
 * Windows-1252. `onUnknown` is called for a name that nobody knows.
 */
export function decodeCharset(bytes: Buffer, charset: string, onUnknown?: () => void): string {
  const known = decoders.get(charset);
  if (known) return known(bytes);
  const decode = decoderOf(charset.toLowerCase());
  if (decode === undefined) onUnknown?.();
  else if (decoders.size < MAX_DECODERS) decoders.set(charset, decode);
  return (decode ?? guess)(bytes);
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
    if (decoder.encoding === 'windows-1252' || decoder.encoding === 'x-user-defined') return guess;
    return (bytes) => decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** One bad byte does not make it another character set; if no character is valid, it is one. */
function decodeUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  const text = bytes.toString('utf8');
  return isUtf8(bytes) || /[\x80-\ufffc\ufffe\uffff]/.test(text) ? withoutMark(text) : windows1252.decode(bytes);
}

function guess(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (isUtf8(bytes)) return withoutMark(bytes.toString('utf8'));
  const whole = withoutCutCharacter(bytes);
  return isUtf8(whole) && !isAscii(whole) ? withoutMark(whole.toString('utf8')) : windows1252.decode(bytes);
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

/** A header value without an encoding: its characters are bytes. */
export function decodeBytesOf(value: string): string {
  return /[\x80-\xff]/.test(value) ? guess(Buffer.from(value, 'latin1')) : value;
}
