import type { AuthenticationResult, EmailAuthentication } from '../../domain/email.ts';
import { organisationDomain } from '../../lib/organisation-domain.ts';
import { type HeaderField, unfolded } from './header-fields.ts';

/**
 * The results that the receiving server wrote (RFC 8601): those of the topmost header, if they are that server's. Senders can
 * write such headers too; theirs are below the `Received` header of the host that got the email from them, or name another host.
 */
export function authenticationOf(fields: readonly HeaderField[]): EmailAuthentication | undefined {
  const found = trustedResults(fields);
  if (found.length === 0) return undefined;
  const authentication: EmailAuthentication = {};
  for (const { results } of found) {
    for (const [method, result] of results) authentication[method] ??= result;
  }
  return Object.keys(authentication).length > 0 ? authentication : undefined;
}

interface Results {
  /** The organisation of the server; empty for Microsoft, which does not name it. */
  organisation: string;
  results: readonly [method: keyof EmailAuthentication, result: AuthenticationResult][];
}

/** The only provider that writes one header per method. */
const SEPARATE = 'icloud.com';

function trustedResults(fields: readonly HeaderField[]): Results[] {
  const trusted: Results[] = [];
  const receiver = firstReceiver(fields);
  for (const { name, value } of fields) {
    if (name === 'received' && (isForeign(receivedBy(value), receiver) || isBoundary(value))) break;
    if (name !== 'authentication-results') continue;
    const results = parseResults(unfolded(value.slice(0, MAX_VALUE)));
    if (!isOf(results.organisation, receiver)) break;
    trusted.push(results);
    if (results.organisation !== SEPARATE) break;
  }
  return trusted;
}

const MAX_VALUE = 10_000;

/** The organisation of the server that wrote the topmost `Received` header with a name of a host. */
function firstReceiver(fields: readonly HeaderField[]): string | undefined {
  for (const { name, value } of fields) {
    const by = name === 'received' ? receivedBy(value) : undefined;
    if (by !== undefined) return by;
    if (name === 'received' && isBoundary(value)) break;
  }
  return undefined;
}

/** A host without a domain got it from outside: all below is by the sender. A name would be compared with those below. */
function isBoundary(value: string): boolean {
  const field = unfolded(value.slice(0, MAX_VALUE));
  if (receivedBy(field) !== undefined) return false;
  const [, from = '', how = ''] = HANDED_OVER.exec(field) ?? [];
  if (FETCHED.test(how)) return false;
  return [...from.matchAll(ADDRESS)].some(([, four = '', six = '']) => !INTERNAL.test(four || six));
}

/** What comes after it may contain the address of the sender. */
const HANDED_OVER = /^\s*from\s(.*?)\sby\s+\S+(?:\s+with\s+(\S+))?/is;
/** A program on this machine got it from the mailbox at the provider. */
const FETCHED = /^(?:imap|pop)/i;
const ADDRESS = /(?<![\d.])(\d{1,3}(?:\.\d{1,3}){3})(?![\d.])|[[(](?:ipv6:)?([\da-f]*:[\da-f:]+)[\])]/gi;
/** Addresses of this machine and of private networks. */
const INTERNAL = /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|::1$|f[cd]|fe80)/i;

function isForeign(organisation: string | undefined, receiver: string | undefined): boolean {
  return organisation !== undefined && receiver !== undefined && !isSame(organisation, receiver);
}

function isOf(organisation: string, receiver: string | undefined): boolean {
  if (receiver === undefined) return true;
  return organisation === '' ? receiver === 'outlook.com' : isSame(organisation, receiver);
}

/** Domains of one provider. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['me.com', 'icloud.com'],
  ['mac.com', 'icloud.com'],
  ['apple.com', 'icloud.com'],
  ['googlemail.com', 'google.com'],
  ['gmail.com', 'google.com'],
  ['office365.com', 'outlook.com'],
  ['hotmail.com', 'outlook.com'],
  ['messagingengine.com', 'fastmail.com'],
  ['yahoodns.net', 'yahoo.com'],
  ['aol.com', 'yahoo.com'],
]);

function isSame(one: string, other: string): boolean {
  return (PROVIDERS.get(one) ?? one) === (PROVIDERS.get(other) ?? other);
}

/** Undefined for an internal host: an address, or a name without a domain. */
function receivedBy(value: string): string | undefined {
  return organisationDomain(/(?:^|\s)by\s+([^\s;()]{1,253})/i.exec(value.slice(0, MAX_VALUE))?.[1] ?? '');
}

const METHODS: ReadonlySet<string> = new Set(['spf', 'dkim', 'dmarc'] satisfies (keyof EmailAuthentication)[]);
const RESULTS: ReadonlyMap<string, AuthenticationResult> = new Map<string, AuthenticationResult>([
  ...(['pass', 'fail', 'softfail', 'neutral', 'none', 'temperror', 'permerror'] as const).map(
    (result): [string, AuthenticationResult] => [result, result],
  ),
  ['hardfail', 'fail'],
  ['policy', 'fail'],
  ['bestguesspass', 'neutral'],
]);

/** `host; method=result …; method=result …`. Comments may contain anything. */
function parseResults(value: string): Results {
  const [first = '', ...others] = withoutComments(value).split(';');
  const isNamed = !first.includes('=');
  const [host = ''] = first.trim().split(/\s/, 1);
  const all = (isNamed ? others : [first, ...others]).flatMap(resultIn);
  // Several signatures: one that is valid is enough.
  const hasValid = all.some(([method, result]) => method === 'dkim' && result === 'pass');
  const results = all.filter(([method, result]) => method !== 'dkim' || !hasValid || result === 'pass');
  return { organisation: isNamed ? (organisationDomain(host) ?? host.toLowerCase()) : '', results };
}

function resultIn(clause: string): [keyof EmailAuthentication, AuthenticationResult][] {
  const [, method = '', word = ''] = /^\s*([a-z]{1,20})(?:\s*\/\s*\d+)?\s*=\s*([a-z]{1,20})/i.exec(clause) ?? [];
  const result = RESULTS.get(word.toLowerCase());
  return METHODS.has(method.toLowerCase()) && result !== undefined
    ? [[method.toLowerCase() as keyof EmailAuthentication, result]]
    : [];
}

function withoutComments(value: string): string {
  let text = '';
  let depth = 0;
  for (const piece of value.split(/([()])/)) {
    if (piece === '(') depth += 1;
    else if (piece === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) text += piece;
  }
  return text;
}
