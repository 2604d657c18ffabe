/** Text on a terminal: what it shows and how wide it is. */

const PLAIN = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]*$/u;
const TWO_WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

/** The width of a line in columns. */
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

/** Lines of at most `width` columns, wrapped at spaces; a longer word has its own line. */
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

/** Like `wrap`, but a word that is longer than a line is split, so that no line is wider than `width`. */
export function wrapWhole(width: number, text: string): string[] {
  return wrap(width, text).flatMap((line) => (displayWidth(line) <= width ? [line] : pieces(width, line)));
}

function pieces(width: number, word: string): string[] {
  const found: string[] = [];
  let piece = '';
  let room = width;
  for (const grapheme of graphemes(word)) {
    const wide = graphemeWidth(grapheme);
    if (wide > room && piece !== '') {
      found.push(piece);
      piece = '';
      room = width;
    }
    piece += grapheme;
    room -= wide;
  }
  return [...found, piece];
}
