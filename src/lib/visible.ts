/** Makes untrusted text harmless for a line or a terminal. */

// Control characters, direction marks, other line breaks, invisible characters and tags, lone surrogates: they could
// forge or hide a line, or control the terminal. Joiners of emoji and letters are kept.
const HOSTILE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2061-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}\p{Cs}]/gu;
const PLAIN = /^[\x20-\x7e]*$/;
const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Any value as one line. */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(HOSTILE, escaped);
}

/** The same for our own text with newlines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** JSON in which no character can do anything to a terminal; it still reads as the same value. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(HOSTILE, (character) => character.replace(/./gs, unicodeEscape));
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return ESCAPES[character] ?? `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : unicodeEscape(character);
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
