import { LATIN } from './chat-scripts.ts';

type Random = () => number;

/** What people search for as they typed it: signs that belong to a word, or are all there is. Each is rare. */
export const SIGNED_TERMS = [
  'C#',
  'C++',
  'F#',
  '.NET',
  '%>%',
  '[you]',
  '_start',
  '__init__',
  'foo_bar',
  '@nick',
  '#!/bin/sh',
  '=>',
  '!==',
  '::',
  '$PATH',
  'a.out',
  '-Wall',
  '--help',
  'x86_64',
  'TCP/IP',
  'out of memory',
] as const;

export const ONE_WORD = [
  'ok',
  '+1',
  '?',
  'lol',
  ':)',
  '👍',
  'ty',
  'np',
  '^',
  '...',
  'yes',
  'no',
  '¯\\_(ツ)_/¯',
  '🎉🎉',
] as const;

const EXTENSIONS = ['c', 'h', 'py', 'ts', 'go', 'rs', 'md', 'json', 'log', 'so', 'conf'] as const;
const HOSTS = [
  'example.test',
  'lists.example.test',
  'git.example.test',
  'paste.example.test',
  'xn--bcher-kva.example',
] as const;

export function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)] as T;
}

/** An integer from 0 to below this one. */
export function below(end: number, random: Random): number {
  return Math.floor(random() * end);
}

export function word(random: Random): string {
  return LATIN.drawn(random());
}

const snake = (parts: readonly string[]) => parts.join('_');
const camel = ([first = '', ...others]: readonly string[]) => first + others.map(capital).join('');

const FORMS: readonly ((parts: readonly string[], random: Random) => string)[] = [
  snake,
  snake,
  camel,
  (parts) => capital(camel(parts)),
  (parts) => snake(parts).toUpperCase(),
  (parts) => parts.join('-'),
  (parts) => parts.join('::'),
  (parts) => parts.join('.'),
  (parts) => `_${snake(parts)}`,
  (parts) => `${camel(parts)}()`,
  (parts) => `--${parts.join('-')}`,
  (parts, random) => `${parts.join('/')}.${pick(EXTENSIONS, random)}`,
  (parts) => `$${snake(parts).toUpperCase()}`,
  (parts) => `@${parts.join('')}`,
  (parts, random) => `${parts.join('')}${below(100, random)}`,
];

/** A name as programs have them. */
export function identifier(random: Random): string {
  const parts = Array.from({ length: 1 + below(3, random) }, () => word(random));
  return pick(FORMS, random)(parts, random);
}

export function url(random: Random): string {
  const path = Array.from({ length: 1 + below(4, random) }, () => word(random)).join('/');
  const query = random() < 0.3 ? `?${word(random)}=${hex(random, 6)}&${word(random)}=${below(1_000_000, random)}` : '';
  const fragment = random() < 0.15 ? `#${identifier(random)}` : '';
  return `https://${pick(HOSTS, random)}/${path}${query}${fragment}`;
}

const SERIALS: readonly ((random: Random) => string)[] = [
  (random) => `0x${hex(random, 8)}`,
  (random) => hex(random, 40),
  (random) => `${hex(random, 8)}-${hex(random, 4)}-${hex(random, 4)}-${hex(random, 12)}`,
  (random) => `10.${below(256, random)}.${below(256, random)}.${below(256, random)}`,
  (random) => `${below(20, random)}.${below(30, random)}.${below(10, random)}`,
  (random) => `#${below(100_000, random)}`,
  (random) => `${below(100_000, random)}`,
  (random) => `${word(random)}@${pick(HOSTS, random)}`,
];

/** A number, hash or address: most occur once. */
export function serial(random: Random): string {
  return pick(SERIALS, random)(random);
}

function hex(random: Random, length: number): string {
  let digits = '';
  while (digits.length < length)
    digits += Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0');
  return digits.slice(0, length);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
