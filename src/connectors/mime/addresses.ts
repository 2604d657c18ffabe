import type { MailAddress } from '../../domain/email.ts';
import { type AddressEntry, addressEntries } from './address-entries.ts';
import { decodeBytesOf, type ReportCharset } from './charset.ts';
import { decodeWords } from './encoded-words.ts';
import { oneLine } from './one-line.ts';

export const MAX_ADDRESSES = 1_000;
const MAX_NAME = 250;
const MAX_ADDRESS = 320;

/**
 * The mailboxes of a header such as `To`, at most `limit`. Groups are replaced by their members. An entry without an
 * address counts only if no entry has one, or if `countsAll`.
 */
export function parseAddresses(
  header: string,
  limit = MAX_ADDRESSES,
  charset = '',
  report?: ReportCharset,
  countsAll = false,
): { addresses: MailAddress[]; isCut: boolean } {
  const decode = (text: string) => decodeWords(text, charset, report);
  const simple = simpleAddress(header, charset, report);
  if (simple) return { addresses: [simple], isCut: false };
  const addresses: MailAddress[] = [];
  let nameless: string[] = [];
  for (const entry of addressEntries(header)) {
    const [name, address] = [nameOf(entry, decode), addressOf(entry)];
    if (address === '' && !(countsAll && name !== '')) {
      if (name !== '' && nameless.length < limit) nameless.push(name);
      continue;
    }
    if (addresses.length === limit) return { addresses, isCut: true };
    // `Doe, John <john@example.test>`: the comma should have been quoted.
    const names = entry.address === undefined ? [] : nameless;
    addresses.push({ name: names.length > 0 ? oneLine([...names, name].join(', '), MAX_NAME) : name, address });
    nameless = [];
  }
  const [name] = nameless;
  if (addresses.length === 0 && name !== undefined) addresses.push({ name, address: '' });
  return { addresses, isCut: false };
}

const SIMPLE = /^\s*(?:"([^"\\=]*)"|([\w .'-]*?))\s*<([\w.+%=-]+@[\w.-]+)>\s*$/;

/** One address in the form that nearly all have. */
function simpleAddress(header: string, charset: string, report?: ReportCharset): MailAddress | undefined {
  const [, quoted, plain = '', address = ''] = (header.length < 400 && SIMPLE.exec(header)) || [];
  if (address === '') return undefined;
  return { name: oneLine(decodeBytesOf(quoted ?? plain, charset, report), MAX_NAME), address: address.toLowerCase() };
}

function nameOf({ address, phrase, unquoted, comment }: AddressEntry, decode: (text: string) => string): string {
  const [start, end] = address === undefined ? addressIn(unquoted) : [0, 0];
  const words = end > start ? unquoted.slice(0, start) + unquoted.slice(end) : phrase;
  return oneLine(decode(words), MAX_NAME) || oneLine(decode(comment), MAX_NAME);
}

function addressOf({ address, phrase, unquoted }: AddressEntry): string {
  // Without brackets; quotes may be part of it: `"john doe"@example.test`.
  const [start, end] = address === undefined ? addressIn(unquoted) : [0, 0];
  const bare = unquoted[start] === '@' && phrase !== unquoted ? `"${phrase.trim()}` : unquoted.slice(start, end);
  const text = address ?? (bare.startsWith('"') ? bare.replace('@', '"@') : bare);
  // The route of RFC 822: `@relay,@other:john@example.test`.
  const direct = text.startsWith('@') ? text.slice(text.indexOf(':') + 1) : text;
  const plain = direct.replaceAll(/[\s\x00-\x1f\x7f<>]/g, '').replace(/^mailto:/i, '');
  return decodeBytesOf(plain.slice(0, MAX_ADDRESS)).toLowerCase();
}

/** Where a text has an address: the first word with an at sign. */
function addressIn(text: string): [start: number, end: number] {
  const sign = text.indexOf('@');
  if (sign === -1) return [0, 0];
  let [start, end] = [sign, sign];
  while (start > 0 && !isBlank(text, start - 1)) start -= 1;
  while (end < text.length && !isBlank(text, end)) end += 1;
  return [start, end];
}

function isBlank(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 0x20;
}
