import { type Color, parseColor } from './css-color.ts';

/** Declarations of CSS by property, in lower case. */
export type Declarations = ReadonlyMap<string, string>;

/** What the declarations of an element do to the text in it; missing where they do nothing. */
export interface Effects {
  /** It is not shown, whatever is in it. */
  removes?: true;
  /** The same, except in table cells, which are never smaller than their content. */
  removesBox?: true;
  /** The same, but only in Outlook; buttons are written twice, once for Outlook. */
  removesInOutlook?: true;
  visibility?: 'hidden' | 'visible';
  fontSize?: 'tiny' | 'readable';
  color?: Color;
  background?: Color | 'unknown';
  isPreformatted?: boolean;
  /** It is on lines of its own. */
  isBlock?: true;
}

const INTERESTING =
  /^(?:display|visibility|opacity|overflow(?:-[xy])?|(?:max-)?height|width|font(?:-size)?|color|background(?:-color|-image)?|-webkit-text-fill-color|position|left|top|right|bottom|text-indent|margin(?:-left|-top)?|clip(?:-path)?|transform|mso-hide|white-space|content-visibility|filter|zoom)$/;

/** The declarations of a style attribute or a rule; those with `!important` are also in `important`. */
export function parseDeclarations(css: string): { all: Map<string, string>; important: Map<string, string> } {
  const all = new Map<string, string>();
  const important = new Map<string, string>();
  for (const declaration of withoutEscapes(css).split(';')) {
    const colon = declaration.indexOf(':');
    const property = declaration.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!INTERESTING.test(property)) continue;
    const value = declaration
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const bare = value.replace(/\s*!\s*important$/, '');
    if (bare !== value) important.set(property, bare);
    if (bare !== value || !important.has(property)) all.set(property, bare);
  }
  return { all, important };
}

/** `d\69splay` is `display`, and so is `dis/**\/play` for some programs. */
function withoutEscapes(css: string): string {
  const bare = css.includes('/*') ? css.replaceAll(/\/\*.*?(?:\*\/|$)/gs, '') : css;
  if (!bare.includes('\\')) return bare;
  return bare.replaceAll(/\\(?:([\da-f]{1,6})\s?|(.))/gis, (_, hex?: string, character?: string) =>
    hex === undefined ? (character ?? '') : codePoint(Number.parseInt(hex, 16)),
  );
}

function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

export function effectsOf(declarations: Declarations): Effects {
  const get = (property: string) => declarations.get(property) ?? '';
  const effects: Effects = {};
  if (isRemoved(get)) effects.removes = true;
  if (isClippedBox(get)) effects.removesBox = true;
  if (get('mso-hide') === 'all') effects.removesInOutlook = true;
  const visibility = get('visibility');
  if (visibility !== '') effects.visibility = visibility === 'visible' ? 'visible' : 'hidden';
  const fontSize = fontSizeOf(get('font-size') || fontSizeIn(get('font')));
  if (fontSize) effects.fontSize = fontSize;
  const color = get('-webkit-text-fill-color') || get('color');
  if (color !== '' && !INHERITED.test(color)) effects.color = parseColor(color);
  const background = backgroundOf(get);
  if (background !== undefined) effects.background = background;
  if (/^(?:block|table|flex|grid|list-item)$/.test(get('display'))) effects.isBlock = true;
  const space = get('white-space');
  if (space !== '') effects.isPreformatted = /^(?:pre|pre-wrap|pre-line|break-spaces)$/.test(space);
  return effects;
}

const INHERITED = /^(?:inherit|currentcolor|unset|revert|initial)$/;

type Get = (property: string) => string;

function isRemoved(get: Get): boolean {
  return (
    get('display') === 'none' ||
    get('content-visibility') === 'hidden' ||
    isZero(get('opacity'), 0.05) ||
    /opacity\(\s*(?:0|0?\.0\d*|[0-4]%)\s*\)/.test(get('filter')) ||
    isZero(get('zoom'), 0.05) ||
    /scale[xy]?\(\s*0(?:\.0\d*)?\s*[,)]/.test(get('transform')) ||
    /translate[xy]?\([^)]*-\d{4,}/.test(get('transform')) ||
    get('max-height') === '0' ||
    isZero(get('max-height').replace(/px$/, ''), 0) ||
    isClipped(get) ||
    isOffScreen(get)
  );
}

function isZero(value: string, limit: number): boolean {
  if (value === '') return false;
  const number = value.endsWith('%') ? Number(value.slice(0, -1)) / 100 : Number(value);
  return number <= limit;
}

function isClipped(get: Get): boolean {
  const isPositioned = /absolute|fixed/.test(get('position'));
  return (
    (isPositioned && /rect\(\s*([01])(?:px)?[\s,]+\1(?:px)?[\s,]+\1(?:px)?[\s,]+\1(?:px)?\s*\)/.test(get('clip'))) ||
    /inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0/.test(get('clip-path'))
  );
}

/** Far to the left or above, where nobody can scroll to. */
function isOffScreen(get: Get): boolean {
  const isPositioned = /absolute|fixed|relative/.test(get('position'));
  return (
    (isPositioned && ['left', 'top', 'right', 'bottom'].some((side) => isFarAway(get(side)))) ||
    ['text-indent', 'margin-left', 'margin-top'].some((property) => isFarAway(get(property))) ||
    get('margin').split(/\s+/).some(isFarAway)
  );
}

function isFarAway(length: string): boolean {
  return length.startsWith('-') && pixels(length) <= -400;
}

/** A box without a size, whose content does not stick out of it. */
function isClippedBox(get: Get): boolean {
  const overflow = get('overflow') || get('overflow-y') || get('overflow-x');
  if (!/hidden|clip/.test(overflow)) return false;
  return ['height', 'max-height', 'width'].some((property) => pixels(get(property)) <= 1);
}

function fontSizeOf(value: string): 'tiny' | 'readable' | undefined {
  if (value === '' || INHERITED.test(value)) return undefined;
  const isRelative = /(?:em|%|ex|ch)$/.test(value) && !value.endsWith('rem');
  const size = pixels(value);
  if (size <= 1) return 'tiny';
  // Relative to a size that may be tiny.
  return isRelative ? undefined : 'readable';
}

/** The size in `font: italic 14px/20px Arial`. */
function fontSizeIn(font: string): string {
  return /(?:^|\s)(\d*\.?\d+(?:px|pt|r?em|%)?)(?=\s|\/)/.exec(font)?.[1] ?? '';
}

const PIXELS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['px', 1],
  ['pt', 1.34],
  ['em', 16],
  ['rem', 16],
  ['ex', 8],
  ['ch', 8],
  ['%', 0.16],
  ['vw', 10],
  ['vh', 10],
  ['in', 96],
  ['cm', 38],
  ['mm', 3.8],
]);

/** NaN if it is not a length. */
function pixels(length: string): number {
  const [, number, unit] = /^([+-]?\d*\.?\d+)([a-z%]*)$/.exec(length) ?? [];
  return number === undefined ? Number.NaN : Number(number) * (PIXELS.get(unit ?? '') ?? Number.NaN);
}

function backgroundOf(get: Get): Color | 'unknown' {
  const [image, shorthand, color] = [get('background-image'), get('background'), get('background-color')];
  if (/url\(|gradient\(/.test(image + shorthand)) return 'unknown';
  const value = color || shorthand;
  if (value === '' || /^(?:none|transparent|inherit|initial|unset)$/.test(value)) return undefined;
  const parsed = parseColor(/#[\da-f]+|rgba?\([^)]*\)|hsla?\([^)]*\)|[a-z]+/.exec(value)?.[0] ?? '');
  return parsed === 'transparent' ? undefined : (parsed ?? 'unknown');
}
