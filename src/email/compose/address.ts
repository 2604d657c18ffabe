import { domainToASCII } from 'node:url';
import type { MailAddress } from '../../domain/email.ts';
import { isMailAddress } from '../../domain/mail-address.ts';
import { isOwnAddress } from '../rules/own-address.ts';

/** The form in which addresses are compared and sent: in lower case, the domain in ASCII; undefined if it is none. */
export function normalizedAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  const domain = domainToASCII(text.slice(at + 1));
  const address = `${text.slice(0, at)}@${domain}`.toLowerCase();
  return at > 0 && domain !== '' && isMailAddress(text) && isMailAddress(address) ? address : undefined;
}

/** Whether an address is one of these, also with a tag: `alice+news@example.org` is Alice's. */
export function createOwnership(own: Iterable<string>): (address: string) => boolean {
  const known = [...own].map((each) => (each.startsWith('*@') ? each : comparable(each)));
  const isOwn = (address: string) => isOwnAddress(known, address);
  return (address) => isOwn(comparable(address)) || isOwn(comparable(address).replace(/\+[^@]*(?=@)/, ''));
}

/** Each address once, in the order of its first appearance, except those in `without`. */
export function distinct(
  addresses: readonly MailAddress[],
  without: readonly MailAddress[] = [],
): readonly MailAddress[] {
  const seen = new Set(without.map(({ address }) => comparable(address)));
  return addresses.filter(({ address }) => {
    const key = comparable(address);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** `Alice Miller <alice@example.org>`, on one line. A name that could be read as an address, or as several, is quoted. */
export function shownAddress({ name, address }: MailAddress): string {
  const clean = name.replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim();
  if (clean === '' || clean === address) return address;
  const shown = /[",<>()@:;\\]/.test(clean) ? `"${clean.replaceAll(/["\\]/g, '\\$&')}"` : clean;
  return `${shown} <${address}>`;
}

function comparable(address: string): string {
  return normalizedAddress(address) ?? address.toLowerCase();
}
