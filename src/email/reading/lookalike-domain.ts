import { organisationDomain } from '../../lib/organisation-domain.ts';

/** Characters, and pairs of them, that are read as others. */
const READ_AS: readonly [string, string][] = [
  ...(['аa', 'еe', 'оo', 'рp', 'сc', 'хx', 'уy', 'іi', 'ѕs', 'ԁd', 'ɡg', 'οo', 'αa', 'ıi', 'łl', 'øo'] as const).map(
    ([one = '', other = '']): [string, string] => [one, other],
  ),
  ['rn', 'm'],
  ['vv', 'w'],
  ['0', 'o'],
  ['1', 'l'],
  ['i', 'l'],
  ['5', 's'],
  ['-', ''],
];
/** One letter more or less in a short name is another name. */
const MIN_LENGTH = 5;
const MAX_LENGTH = 255;
/** Providers whose names differ in one letter. */
const PROVIDERS = new Set(
  'gmail.com ymail.com mail.com email.com fastmail.com hotmail.com rocketmail.com gmx.de gmx.net gmx.com'.split(' '),
);

/** Whether a domain can be taken for another one that is not it. */
export function isLookalike(domain: string, own: string): boolean {
  const [theirs, ours] = [organisationDomain(domain.slice(0, MAX_LENGTH)), organisationDomain(own)];
  if (theirs === undefined || ours === undefined || theirs === ours || PROVIDERS.has(theirs)) return false;
  // `example.test.other.test`, `example-test.other`.
  if (domain.startsWith(`${ours}.`) || domain.includes(`.${ours}.`)) return true;
  const [one, other] = [readAs(nameOf(theirs)), readAs(nameOf(ours))];
  if (one === other) return true;
  return other.length >= MIN_LENGTH && (isOneEditAway(one, other) || hasWord(theirs, nameOf(ours)));
}

/** The label that its owner chose. */
function nameOf(organisation: string): string {
  return organisation.split('.', 1)[0] ?? '';
}

function readAs(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return READ_AS.reduce((text, [one, other]) => text.replaceAll(one, other), plain);
}

/** `example-support.test`. */
function hasWord(domain: string, name: string): boolean {
  return nameOf(domain).split('-').includes(name);
}

/** Whether one character was added, left out, changed, or exchanged with the next. */
function isOneEditAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [rest, otherRest] = [one.slice(start), other.slice(start)];
  return (
    rest.slice(1) === otherRest.slice(1) ||
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    (rest.slice(2) === otherRest.slice(2) && rest[0] === otherRest[1] && rest[1] === otherRest[0])
  );
}
