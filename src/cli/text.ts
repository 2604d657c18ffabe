/** Text on a terminal: what it shows, how wide it is, and what may not reach the terminal as it is. */

// Controls, the marks that change the direction of a line, other line ends, invisible tags, half characters: whoever
// writes them into a message could forge a line, hide one, or command the terminal.
const HOSTILE = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}\p{Cs}]/gu;
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

let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]*$/u;
const TWO_WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

/** How many columns a line takes. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

function graphemeWidth(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0;
  return TWO_WIDE.test(grapheme) ? 2 : 1;
}

export function padTo(width: number, text: string): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** At most `width` columns; what is cut ends in an ellipsis. */
export function truncateTo(width: number, text: string): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let room = width - 1;
  for (const grapheme of graphemes(text)) {
    room -= graphemeWidth(grapheme);
    if (room < 0) break;
    kept += grapheme;
  }
  return width < 1 ? '' : `${kept}…`;
}

/** Lines of at most `width` columns, broken at spaces; a longer word keeps a line for itself. */
export function wrap(width: number, text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
