import { resolve } from 'node:path';
import { closest } from '../lib/did-you-mean.ts';
import type { FieldType } from './command.ts';

/** Why a text is not a value of a type: the end of a sentence that begins with the option's name. */
export class WrongValue extends Error {}

/** Parses a text of the command line to a value. */
export function readValue(type: FieldType, text: string): unknown {
  switch (type.kind) {
    case 'text':
      return text;
    case 'path':
      if (text === '') throw new WrongValue('takes a path, not an empty text');
      return resolve(text);
    case 'number':
      return readNumber(type, text);
    case 'flag':
      if (text !== 'true' && text !== 'false') throw new WrongValue('takes no value, or `true` or `false`');
      return text === 'true';
    case 'choice':
      return readChoice(type.values, text);
    case 'json':
      return readJson(text, type.orText);
    case 'list':
      return type.isWhole && !text.startsWith('[') ? [readValue(type.of, text)] : readList(type.of, text);
  }
}

function readNumber(type: Extract<FieldType, { kind: 'number' }>, text: string): number {
  const syntax = type.whole ? /^[+-]?\d+$/ : /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
  const value = Number(text);
  const { min = type.whole ? Number.MIN_SAFE_INTEGER : -Number.MAX_VALUE } = type;
  const { max = type.whole ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE } = type;
  if (syntax.test(text) && value >= min && value <= max) return value;
  throw new WrongValue(`takes a ${describeNumber(type)}, not ${quoted(text)}`);
}

/** `whole number from 1 to 500`, `number of at least 0`. */
export function describeNumber({ whole, min, max }: Extract<FieldType, { kind: 'number' }>): string {
  const kind = whole ? 'whole number' : 'number';
  if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
  if (min !== undefined) return `${kind} of at least ${min}`;
  return max === undefined ? kind : `${kind} of at most ${max}`;
}

function readChoice(values: readonly string[], text: string): string {
  if (values.includes(text)) return text;
  const meant = closest(text, values);
  const suggestion = meant === undefined ? '' : `; did you mean ${meant}`;
  throw new WrongValue(`takes one of ${values.join(', ')}, not ${quoted(text)}${suggestion}`);
}

function readJson(text: string, orText: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (orText) return text;
    throw new WrongValue(`takes JSON, which ${quoted(text)} is not`);
  }
}

/** Parts between commas; a JSON array where the parts themselves have commas. */
function readList(of: FieldType, text: string): unknown[] {
  if (text.startsWith('[')) {
    const items = readJson(text, false);
    if (Array.isArray(items)) return items;
  }
  if (of.kind === 'json') return [readJson(text, of.orText)];
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => readValue(of, part));
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}
