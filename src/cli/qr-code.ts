import { encode } from 'uqr';

/** Modules of light margin; the standard asks for four, cameras are content with two, and a low window keeps all rows. */
const MARGIN = 2;
/** Upper and lower half of a character cell: is each dark? */
const DARK_ON_LIGHT = { both: '█', upper: '▀', lower: '▄', none: ' ' };
const LIGHT_ON_DARK = { both: ' ', upper: '▄', lower: '▀', none: '█' };
/** Black on white of the 256 colours, which no theme of a terminal changes. */
const BLACK_ON_WHITE = '\x1b[38;5;16;48;5;231m';
const RESET = '\x1b[0m';

interface Screen {
  width: number;
  /** With colours the code is dark on light in every theme. Without them the terminal is taken for a dark one. */
  colour: boolean;
}

/** The lines that show a QR code; undefined if the text is too long for one, or the terminal is too narrow. */
export function qrCodeLines(text: string, { width, colour }: Screen): string[] | undefined {
  const rows = modulesOf(text);
  if (!rows || rows.length > width) return undefined;
  const signs = colour ? DARK_ON_LIGHT : LIGHT_ON_DARK;
  const lines: string[] = [];
  for (let top = 0; top < rows.length; top += 2) {
    const line = (rows[top] ?? []).map((upper, column) => signOf(signs, upper, rows[top + 1]?.[column] ?? false));
    lines.push(colour ? `${BLACK_ON_WHITE}${line.join('')}${RESET}` : line.join(''));
  }
  return lines;
}

function signOf(signs: typeof DARK_ON_LIGHT, upper: boolean, lower: boolean): string {
  if (upper) return lower ? signs.both : signs.upper;
  return lower ? signs.lower : signs.none;
}

/** Rows of modules, dark ones true. */
function modulesOf(text: string): readonly (readonly boolean[])[] | undefined {
  try {
    return encode(text, { ecc: 'L', border: MARGIN }).data;
  } catch {
    return undefined;
  }
}
