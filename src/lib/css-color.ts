/** `#rrggbb` as a number; `transparent` if it cannot be seen; undefined if it is not known which colour it is. */
export type Color = number | 'transparent' | undefined;

const NAMES: ReadonlyMap<string, number> = new Map([
  ['white', 0xffffff],
  ['black', 0x000000],
  ['snow', 0xfffafa],
  ['ivory', 0xfffff0],
  ['azure', 0xf0ffff],
  ['mintcream', 0xf5fffa],
  ['ghostwhite', 0xf8f8ff],
  ['floralwhite', 0xfffaf0],
  ['whitesmoke', 0xf5f5f5],
  ['aliceblue', 0xf0f8ff],
  ['seashell', 0xfff5ee],
  ['gainsboro', 0xdcdcdc],
  ['lightgray', 0xd3d3d3],
  ['lightgrey', 0xd3d3d3],
  ['silver', 0xc0c0c0],
  ['gray', 0x808080],
  ['grey', 0x808080],
  ['red', 0xff0000],
  ['green', 0x008000],
  ['blue', 0x0000ff],
  ['yellow', 0xffff00],
  ['navy', 0x000080],
]);
/** Less than this cannot be seen. */
const FAINT = 0.06;

export function parseColor(text: string): Color {
  const value = text.trim().toLowerCase();
  if (value === 'transparent') return 'transparent';
  if (value.startsWith('#')) return hexColor(value.slice(1));
  if (value.startsWith('rgb')) return rgbColor(value);
  return NAMES.get(value);
}

function hexColor(digits: string): Color {
  if (!/^[\da-f]+$/.test(digits)) return undefined;
  if (digits.length === 3 || digits.length === 4) return hexColor([...digits].map((digit) => digit + digit).join(''));
  if (digits.length !== 6 && digits.length !== 8) return undefined;
  const alpha = Number.parseInt(digits.slice(6) || 'ff', 16) / 255;
  return alpha < FAINT ? 'transparent' : Number.parseInt(digits.slice(0, 6), 16);
}

function rgbColor(value: string): Color {
  const [red, green, blue, alpha] = [...value.matchAll(/([\d.]+)(%?)/g)].map(([, number, percent], index) =>
    percent === '' ? Number(number) : (Number(number) / 100) * (index < 3 ? 255 : 1),
  );
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  if (alpha !== undefined && alpha < FAINT) return 'transparent';
  return (byte(red) << 16) | (byte(green) << 8) | byte(blue);
}

function byte(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)));
}

/** Whether text in one of them cannot be read on the other. */
export function isSameColor(one: number, other: number): boolean {
  return [16, 8, 0].every((shift) => Math.abs(((one >> shift) & 255) - ((other >> shift) & 255)) <= MAX_DIFFERENCE);
}

const MAX_DIFFERENCE = 16;
