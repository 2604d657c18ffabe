/** Text that strangers wrote, so that it can do nothing to a line or to a terminal. */

// Controls, the marks that change the direction of a line, other line ends, invisible signs and tags, half characters:
// whoever writes them into a message could forge a line, hide one, or command the terminal. What joins emoji and letters stays.
const HOSTILE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2061-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}\p{Cs}]/gu;
const PLAIN = /^[\x20-\x7e]*$/;
const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value as one line, whatever is in it. */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(HOSTILE, escaped);
}

/** The same for a text of our own that has lines. */
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
