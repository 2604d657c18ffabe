import { decodeBytesOf, decodeCharset, type ReportCharset } from './charset.ts';
import { hexPair } from './quoted-printable.ts';

/** `=?charset*language?B or Q?text?=` of RFC 2047. Spaces within the text are not allowed, and found. */
const WORD = /=\?([^?\s*]{1,60})(?:\*[^?\s]{0,60})?\?([bq])\?([^?]*)\?=/giy;
const BLANKS = /\s*/y;

/**
 * A header value with all encoded words decoded; what is not valid is left as it is. `charset` is the one of the text below
 * it, for bytes that are not encoded.
 */
export function decodeWords(value: string, charset = '', report?: ReportCharset): string {
  let at = value.indexOf('=?');
  if (at === -1) return decodeBytesOf(value, charset, report);
  let text = '';
  let from = 0;
  while (at !== -1) {
    const run = runAt(value, at, report);
    if (run === undefined) {
      at = value.indexOf('=?', at + 2);
      continue;
    }
    text += decodeBytesOf(value.slice(from, at), charset, report) + run.text;
    from = run.end;
    at = value.indexOf('=?', from);
  }
  return text + decodeBytesOf(value.slice(from), charset, report);
}

/**
 * Words with nothing but blanks between them, as one text. Those of one character set are decoded together, because some
 * programs cut within a character.
 */
function runAt(value: string, start: number, report?: ReportCharset): { text: string; end: number } | undefined {
  let text = '';
  let words: Word[] = [];
  let end = start;
  for (let at = start; ; at = afterBlanks(value, end)) {
    WORD.lastIndex = at;
    const [whole, name = '', encoding = '', content = ''] = WORD.exec(value) ?? [];
    if (whole === undefined) break;
    const word = { charset: name.toLowerCase(), isBase64: encoding === 'B' || encoding === 'b', content };
    if (words.length > 0 && words[0]?.charset !== word.charset) {
      text += textOf(words, report);
      words = [];
    }
    words.push(word);
    end = at + whole.length;
  }
  return end === start ? undefined : { text: text + textOf(words, report), end };
}

interface Word {
  charset: string;
  isBase64: boolean;
  content: string;
}

function textOf(words: readonly Word[], report?: ReportCharset): string {
  let rest = '';
  const pieces = words.map(({ isBase64, content }, index) => {
    if (!isBase64) return decodeQ(content);
    const encoded = rest + content;
    const next = words[index + 1];
    const tail = encoded.slice(encoded.length & ~3);
    // Some programs cut what they have encoded already.
    rest = next?.isBase64 && (tail.length + next.content.length) % 4 === 0 ? tail : '';
    return Buffer.from(rest === '' ? encoded : encoded.slice(0, -rest.length), 'base64');
  });
  return decodeCharset(
    pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces),
    words[0]?.charset ?? '',
    report,
  );
}

function afterBlanks(value: string, at: number): number {
  BLANKS.lastIndex = at;
  return at + (BLANKS.exec(value)?.[0].length ?? 0);
}

const [EQUALS, UNDERSCORE, SPACE] = [0x3d, 0x5f, 0x20];

function decodeQ(content: string): Buffer {
  const bytes = Buffer.from(content, 'latin1');
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const value = byte === EQUALS ? hexPair(bytes[at + 1], bytes[at + 2]) : -1;
    if (value !== -1) at += 2;
    bytes[length++] = value !== -1 ? value : byte === UNDERSCORE ? SPACE : byte;
  }
  return bytes.subarray(0, length);
}
