import { domainToUnicode } from 'node:url';
import type { EmailAuthentication, MailAddress } from '../../domain/email.ts';
import { organisationDomain } from '../../lib/organisation-domain.ts';
import { visible } from '../../lib/visible.ts';
import { isLookalike } from './lookalike-domain.ts';
import { hasMixedScripts } from './mixed-scripts.ts';

/** What is known of the sender of an email. */
export interface SenderFacts {
  from: readonly MailAddress[];
  replyTo: readonly MailAddress[];
  authentication?: EmailAuthentication | undefined;
  /** Addresses of the user. */
  own: readonly string[];
}

const MAX_SHOWN = 100;

/** Why the sender may be another than it seems, each in one sentence of ours. */
export function senderWarnings({ from, replyTo, authentication, own }: SenderFacts): string[] {
  const [sender] = from;
  if (sender === undefined || sender.address === '') return ['It does not name the address of its sender.'];
  return [
    ...severalSenders(from),
    ...from.flatMap((each) => [...nameWarnings(each), ...domainWarnings(each, own)]),
    ...replyWarnings(sender, replyTo),
    ...authenticationWarnings(sender, authentication),
  ];
}

function severalSenders(from: readonly MailAddress[]): string[] {
  if (from.length < 2) return [];
  return [`It names ${from.length} senders; mail programs show only one of them.`];
}

const ADDRESS = /[^\s<>"'(),;:]{1,64}@([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)/u;
const DOMAIN =
  /(?:^|[\s(<"'@/])((?:[a-z\d-]+\.)+(?:com|net|org|info|biz|gov|edu|bank|io|co|eu|[a-z]{2}))(?=$|[\s)>"',/:])/i;

function nameWarnings({ name, address }: MailAddress): string[] {
  const warnings: string[] = [];
  const [other, host] = ADDRESS.exec(name) ?? [];
  const domain = host ?? DOMAIN.exec(name)?.[1];
  if (other !== undefined && other.toLowerCase() !== address) {
    warnings.push(`The sender's name contains another address: ${shown(other)} is not ${shown(address)}.`);
  } else if (domain !== undefined && !isSameName(domain, domainOf(address))) {
    warnings.push(`The sender's name mentions ${shown(domain)}, but the address is at ${shown(domainOf(address))}.`);
  }
  if (visible(name) !== name) warnings.push("The sender's name contains invisible characters.");
  if (hasMixedScripts(name)) warnings.push("The sender's name mixes letters of different scripts that look alike.");
  return warnings;
}

function domainWarnings({ address }: MailAddress, own: readonly string[]): string[] {
  const domain = domainOf(address);
  const decoded = domain.includes('xn--') ? domainToUnicode(domain) : domain;
  const warnings: string[] = [];
  if (decoded !== domain) warnings.push(`The sender's domain ${shown(domain)} is displayed as ${shown(decoded)}.`);
  if (hasMixedScripts(decoded))
    warnings.push(`The sender's domain ${shown(decoded)} mixes letters of different scripts.`);
  const imitated = own.map(domainOf).find((each) => isLookalike(decoded, each));
  if (imitated !== undefined) {
    warnings.push(`The sender's domain ${shown(decoded)} looks like your own, ${shown(imitated)}, and is another.`);
  }
  return warnings;
}

function replyWarnings(sender: MailAddress, replyTo: readonly MailAddress[]): string[] {
  const other = replyTo.find(
    ({ address }) => address !== '' && !isSameOrganisation(domainOf(address), domainOf(sender.address)),
  );
  return other ? [`Replies go to another domain: ${shown(other.address)}.`] : [];
}

const CHECKS = [
  ['dmarc', 'DMARC'],
  ['spf', 'SPF'],
  ['dkim', 'DKIM'],
] as const;

/** DMARC says whether one of the others is valid for the domain that is shown. */
function authenticationWarnings({ address }: MailAddress, authentication: EmailAuthentication = {}): string[] {
  if (authentication.dmarc === 'pass') return [];
  const failed = CHECKS.filter(([check]) => FAILURES.has(authentication[check] ?? '')).map(([, name]) => name);
  if (failed.length === 0) return [];
  return [
    `The receiving server could not confirm that it is from ${shown(domainOf(address))}: ${failed.join(', ')} failed.`,
  ];
}

const FAILURES = new Set<string>(['fail', 'softfail', 'permerror']);

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

function isSameOrganisation(one: string, other: string): boolean {
  return (organisationDomain(one) ?? one.toLowerCase()) === (organisationDomain(other) ?? other.toLowerCase());
}

/** `Example.de` and `example.com` are usually one company. */
function isSameName(one: string, other: string): boolean {
  const [first, second] = [one, other].map((each) => (organisationDomain(each) ?? each).toLowerCase().split('.', 1)[0]);
  return first === second;
}

function shown(value: string): string {
  return visible(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN).toWellFormed()}…` : value);
}
