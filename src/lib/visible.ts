/** Makes untrusted text harmless for a line, a terminal or a model. */
import { hiddenInData, hiddenInLine, hiddenInText } from './hidden-characters.ts';
import { isRecord } from './is-record.ts';

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const ESCAPED = /\\(?:u\{([\da-f]{1,5})\}|u([\da-f]{4})|x([\da-f]{2})|([nrt]))/g;
const UNESCAPED: Record<string, string> = { n: '\n', r: '\r', t: '\t' };

/** Any value as one line. */
export function visible(text: string): string {
  return hiddenInLine.replace(text, escaped, '');
}

/** A text of several lines: its line breaks and tabs are kept. */
export function visibleText(text: string): string {
  return hiddenInText.replace(text, escaped, '');
}

/** The same for output that is no terminal: control characters stay as they are. */
export function visibleData(text: string): string {
  return hiddenInData.replace(text, escaped, '');
}

/** `visibleText` of all strings in objects and arrays, names of fields included. Returns the same value if nothing changes. */
export function visibleDeep<T>(value: T): T {
  return walk(value) as T;
}

/** A text as it was before a model or a person got it from one of these functions. */
export function fromVisible(text: string): string {
  return text.replace(ESCAPED, (_, ...found: (string | undefined)[]) => {
    const [long, four, two, letter] = found;
    return letter === undefined
      ? String.fromCodePoint(Number.parseInt(long ?? four ?? two ?? '', 16))
      : (UNESCAPED[letter] ?? '');
  });
}

/** Our own text with newlines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** JSON in which no character is hidden or controls a terminal; it still reads as the same value. */
export function visibleJson(value: unknown): string {
  return escapedJson(JSON.stringify(value));
}

/** JSON on one line, as `visibleJson` writes it. */
export function escapedJson(json: string): string {
  return hiddenInLine.replace(json, (character) => character.replace(/./gs, unicodeEscape), '\\u200b');
}

function walk(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return walkArray(value);
  return isRecord(value) ? walkRecord(value) : value;
}

function walkArray(items: readonly unknown[]): unknown {
  let changed: unknown[] | undefined;
  for (const [index, item] of items.entries()) {
    const shown = walk(item);
    if (Object.is(shown, item)) continue;
    changed ??= [...items];
    changed[index] = shown;
  }
  return changed ?? items;
}

function walkRecord(record: Record<string, unknown>): unknown {
  let isSame = true;
  for (const key in record) {
    if (visibleText(key) === key && Object.is(walk(record[key]), record[key])) continue;
    isSame = false;
    break;
  }
  if (isSame) return record;
  return Object.fromEntries(Object.entries(record).map(([key, inner]) => [visibleText(key), walk(inner)]));
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return ESCAPES[character] ?? `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : unicodeEscape(character);
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
