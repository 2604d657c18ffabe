/** A character on a terminal, and how it is drawn. */
export interface Cell {
  text: string;
  /** Faint or grey: how programs draw placeholders. */
  isFaint: boolean;
  isReversed: boolean;
}

interface Style {
  isFaint: boolean;
  isGrey: boolean;
  isReversed: boolean;
}

/** A change of style, another escape sequence, or a character. */
const PIECES = /\u001b\[([0-9;:]*)m|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\[[0-9;?]*[A-Za-z]|./gsu;
const PLAIN: Style = { isFaint: false, isGrey: false, isReversed: false };
/** Placeholder greys are not bright, and their red, green and blue differ little. */
const BRIGHTEST_GREY = 176;
const COLOUR_SPREAD = 48;

/** Rows of cells from `capture-pane -e -p`; wide characters occupy two cells, as on the terminal. */
export function cellsOf(capture: string): Cell[][] {
  let style = PLAIN;
  return capture.split('\n').map((line) => {
    const cells: Cell[] = [];
    for (const [piece, sgr] of line.matchAll(PIECES)) {
      if (sgr !== undefined) style = styled(style, sgr);
      else if (!piece.startsWith('\x1b') && piece >= ' ') cells.push(...cellsFor(piece, style));
    }
    return cells;
  });
}

function cellsFor(text: string, { isFaint, isGrey, isReversed }: Style): Cell[] {
  if (/\p{Mark}|\p{Default_Ignorable_Code_Point}/u.test(text)) return [];
  const cell = { text, isFaint: isFaint || isGrey, isReversed };
  return isWide(text) ? [cell, { ...cell, text: '' }] : [cell];
}

function isWide(text: string): boolean {
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
    text,
  );
}

function styled(before: Style, sgr: string): Style {
  const codes = sgr.split(/[;:]/).map(Number);
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const isIndexed = codes[at + 1] === 5;
      if (code === 38)
        style = { ...style, isGrey: isIndexed ? isGreyIndex(codes[at + 2]) : isGrey(codes.slice(at + 2, at + 5)) };
      at += isIndexed ? 2 : 4;
    } else style = changed(style, code);
  }
  return style;
}

function changed(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 2) return { ...style, isFaint: true };
  if (code === 22) return { ...style, isFaint: false };
  if (code === 7 || code === 27) return { ...style, isReversed: code === 7 };
  if (code === 90) return { ...style, isGrey: true };
  if ((code >= 30 && code <= 39) || (code >= 91 && code <= 97)) return { ...style, isGrey: false };
  return style;
}

/** Of the 256 colours: 8 is dark grey, 232 to 255 are the greys from dark to bright, the cube has some too. */
function isGreyIndex(index = 0): boolean {
  if (index < 16) return index === 8;
  if (index >= 232) return isGrey(Array(3).fill(8 + (index - 232) * 10));
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  const cube = index - 16;
  return isGrey([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level));
}

function isGrey(colour: readonly number[]): boolean {
  const most = Math.max(...colour);
  return most <= BRIGHTEST_GREY && most - Math.min(...colour) <= COLOUR_SPREAD;
}

/** Rows without styles; each cell is one character, so that columns are indexes. */
export function plainText(capture: string): string {
  return cellsOf(capture)
    .map((cells) =>
      cells
        .map(({ text }) => text || ' ')
        .join('')
        .trimEnd(),
    )
    .join('\n');
}
