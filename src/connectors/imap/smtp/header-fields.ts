/** Lines of a header (RFC 5322). Whatever the values contain, each function returns exactly one field. */
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import type { MailAddress } from '../../../domain/email.ts';
import { isMailAddress, isMessageId } from '../../../domain/mail-address.ts';
import { MailError } from '../../mail-connector.ts';

/** Preferred length of a line; RFC 5322 allows 998. */
const LINE = 76;
/** Characters of an encoded word: RFC 2047 allows 75. */
const ENCODED_WORD = 60;
/** A longer word could not be folded. */
const LONGEST_WORD = 60;
const MAX_TEXT = 2_000;
const MAX_NAME = 250;

export function textField(name: string, text: string): string {
  const clean = oneLine(text, MAX_TEXT);
  return folded(name, isPlainText(clean) ? clean.split(' ') : encodedWords(clean));
}

export function addressField(name: string, addresses: readonly MailAddress[]): string {
  const words = addresses.map(mailboxWords);
  return folded(
    name,
    words.flatMap((each, index) => (index === words.length - 1 ? each : [...each.slice(0, -1), `${each.at(-1)},`])),
  );
}

/** Ids that cannot stand in a header are left out. */
export function idsField(name: string, ids: readonly string[]): string | undefined {
  const valid = ids.filter(isMessageId);
  return valid.length === 0
    ? undefined
    : folded(
        name,
        valid.map((id) => `<${id}>`),
      );
}

export function dateField(name: string, at: number): string {
  return `${name}: ${new Date(at).toUTCString().replace('GMT', '+0000')}`;
}

/** A text without characters that end a line or control a terminal. */
export function oneLine(text: string, maxLength: number): string {
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029\s]/gu, ' ').trim();
  return line.slice(0, maxLength).toWellFormed().trim();
}

function mailboxWords({ name, address }: MailAddress): string[] {
  if (!isMailAddress(address)) throw new MailError('refused', 'An address of this email is not valid.', { address });
  const phrase = oneLine(name, MAX_NAME);
  return phrase === '' ? [`<${address}>`] : [...phraseWords(phrase), `<${address}>`];
}

function phraseWords(phrase: string): string[] {
  if (/^[a-z\d]+(?: [a-z\d]+)*$/i.test(phrase) && isPlainText(phrase)) return phrase.split(' ');
  // A string in quotes cannot be folded safely; encoded words in quotes are decoded by many programs.
  if (/^[ !#-[\]-~]{1,60}$/.test(phrase) && !phrase.includes('=?')) return [`"${phrase}"`];
  return encodedWords(phrase);
}

/** Whether it can be written as it is. What looks like an encoded word would be decoded by its reader. */
function isPlainText(text: string): boolean {
  return (
    /^[!-~]+(?: [!-~]+)*$/.test(text) &&
    !text.includes('=?') &&
    text.split(' ').every((word) => word.length <= LONGEST_WORD)
  );
}

function encodedWords(text: string): string[] {
  if (text === '') return [];
  const ascii = text.replaceAll(/[^\x20-\x7e]/g, '').length;
  return encodeWord(text, ascii * 2 > text.length ? 'Q' : 'B', ENCODED_WORD).split(' ');
}

function folded(name: string, words: readonly string[]): string {
  const lines: string[] = [];
  let line = `${name}:`;
  for (const word of words) {
    if (line.length + 1 + word.length > LINE && line !== `${name}:`) {
      lines.push(line);
      line = '';
    }
    line += ` ${word}`;
  }
  return [...lines, line].join('\r\n');
}
