import { isSameColor } from './css-color.ts';
import { type CssRules, keysOf, type NarrowRule } from './css-rules.ts';
import { type Effects, effectsOf, parseDeclarations } from './css-visibility.ts';
import { decodeEntities } from './html-entities.ts';
import type { Tag } from './html-tags.ts';

/** How text looks at one place of a page. */
export interface TextStyle {
  isShown: boolean;
  isRemoved: boolean;
  isInvisible: boolean;
  isTiny: boolean;
  /** Undefined if it is not known. */
  color: number | 'transparent' | undefined;
  background: number | undefined;
  isPreformatted: boolean;
}

/** Black on white. */
export const PAGE_STYLE: TextStyle = {
  isShown: true,
  isRemoved: false,
  isInvisible: false,
  isTiny: false,
  color: 0x000000,
  background: 0xffffff,
  isPreformatted: false,
};

const LINK_COLOR = 0x0000ee;
/** Elements that no browser shows. */
const REMOVED = new Set(['template', 'datalist', 'svg', 'math']);

/** Whether an element with this key (`CssRules`) is around the one that is looked at. */
type IsWithin = (key: string) => boolean;

/** What a tag does to the text in its element; undefined if nothing. */
export function effectsOfTag(tag: Tag, rules: CssRules, isWithin: IsWithin): Effects | undefined {
  const { name, attributes } = tag;
  const { style, hidden, bgcolor, background, color, href } = attributes;
  const styled = rules.size > 0 ? ruledEffects(tag, rules, isWithin) : inlineEffects(style);
  const isRemoved = hidden !== undefined || REMOVED.has(name);
  const isPainted = bgcolor !== undefined || background !== undefined;
  const isLink = name === 'a' && href !== undefined;
  if (!isRemoved && !isPainted && !isLink && name !== 'pre' && (name !== 'font' || color === undefined)) {
    return needsNameOf(styled) ? forName(styled, name) : styled;
  }
  const own: Effects = {};
  if (isRemoved) own.removes = true;
  if (background !== undefined) own.background = 'unknown';
  else if (bgcolor !== undefined) Object.assign(own, inlineEffects(`background-color:${bgcolor}`));
  if (isLink) own.color = LINK_COLOR;
  if (name === 'font' && color !== undefined) Object.assign(own, inlineEffects(`color:${color}`));
  if (name === 'pre') own.isPreformatted = true;
  return forName({ ...own, ...styled, ...(isRemoved ? { removes: true } : {}) }, name);
}

/** Mailings repeat few styles many times. */
const known = new Map<string, Effects | undefined>();
const MAX_KNOWN = 2_000;
const MAX_KEY = 500;

function inlineEffects(style: string | undefined): Effects | undefined {
  if (style === undefined || style === '') return undefined;
  const cached = known.get(style);
  if (cached !== undefined || known.has(style)) return cached;
  const effects = presentEffects(effectsOf(parseDeclarations(decodeEntities(style)).all));
  if (style.length > MAX_KEY) return effects;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(style, effects);
  return effects;
}

function presentEffects(effects: Effects): Effects | undefined {
  for (const _ in effects) return effects;
  return undefined;
}

/** Rules of the page come first, then the style of the element, then rules that are important. */
function ruledEffects({ name, attributes }: Tag, rules: CssRules, isWithin: IsWithin): Effects | undefined {
  const { style } = attributes;
  const keys = keysOf(name, attributes);
  const found = [name, ...keys].flatMap((key) => rules.get(key) ?? []);
  if (found.length === 0) return inlineEffects(style);
  const inline = style === undefined ? undefined : parseDeclarations(decodeEntities(style));
  const declarations = new Map<string, string>();
  const applies = ({ also, within }: NarrowRule) =>
    also.every((each) => keys.includes(each)) && within.every((each) => isWithin(each));
  const applied = [...found, ...found.flatMap(({ narrow }) => narrow.filter(applies))];
  for (const { all } of applied) copy(all, declarations);
  if (inline) copy(inline.all, declarations);
  for (const { important } of applied) copy(important, declarations);
  if (inline) copy(inline.important, declarations);
  const effects = effectsOf(declarations);
  return found.some(({ mayPaint }) => mayPaint) ? { ...effects, color: undefined, background: 'unknown' } : effects;
}

function copy(from: ReadonlyMap<string, string>, to: Map<string, string>): void {
  for (const [property, value] of from) to.set(property, value);
}

function needsNameOf(effects: Effects | undefined): effects is Effects {
  return effects?.removesBox !== undefined || effects?.removesInOutlook !== undefined;
}

function forName(effects: Effects, name: string): Effects {
  const isRemoved =
    (effects.removesBox && name !== 'td' && name !== 'th') || (effects.removesInOutlook && name !== 'a');
  return isRemoved ? { ...effects, removes: true } : effects;
}

export function styleWithin(parent: TextStyle, effects: Effects | undefined): TextStyle {
  if (effects === undefined) return parent;
  const isRemoved = parent.isRemoved || effects.removes === true;
  const isInvisible = effects.visibility === undefined ? parent.isInvisible : effects.visibility === 'hidden';
  const isTiny = effects.fontSize === undefined ? parent.isTiny : effects.fontSize === 'tiny';
  const color = 'color' in effects ? effects.color : parent.color;
  const background = backgroundWithin(parent, effects);
  const isPreformatted = effects.isPreformatted ?? parent.isPreformatted;
  const isHiddenByColor =
    color === 'transparent' || (color !== undefined && background !== undefined && isSameColor(color, background));
  const isShown = !isRemoved && !isInvisible && !isTiny && !isHiddenByColor;
  return { isShown, isRemoved, isInvisible, isTiny, color, background, isPreformatted };
}

function backgroundWithin(parent: TextStyle, { background }: Effects): number | undefined {
  if (background === undefined || background === 'transparent') return parent.background;
  return background === 'unknown' ? undefined : background;
}
