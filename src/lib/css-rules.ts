import { parseDeclarations } from './css-visibility.ts';

interface Declared {
  all: Map<string, string>;
  important: Map<string, string>;
}

/** All rules for one selector, together. */
export interface CssRule extends Declared {
  /** For elements that are something else, too, or within others: `.x.y`, `div .x`, `div > .x`. */
  narrow: NarrowRule[];
  /** Whether a rule whose selector is not read may paint it. */
  mayPaint: boolean;
}

export interface NarrowRule extends Declared {
  /** Further keys of the element. */
  also: readonly string[];
  /** Keys of elements around it, in any order. */
  within: readonly string[];
}

/** By the name of a tag (`p`), a class (`.x`, `p.x`) or an id (`#x`, `p#x`): the keys of an element. */
export type CssRules = Map<string, CssRule>;

const MAX_CSS = 200_000;
const MAX_RULES = 2_000;
/** Queries that are true on every screen. */
const ALWAYS = /^@media\s*(?:(?:only\s+)?(?:all|screen))?\s*$/;

/** Adds the rules of a `<style>` element, except those for some screens only. */
export function addRules(rules: CssRules, css: string): void {
  const text = css.slice(0, MAX_CSS).replaceAll(/\/\*.*?(?:\*\/|$)|<!--|-->/gs, '');
  let at = 0;
  for (let count = 0; count < MAX_RULES; count++) {
    const open = text.indexOf('{', at);
    if (open === -1) return;
    // After `@import …;`, and after the end of a block whose rules apply.
    const selector = lastPiece(text.slice(at, open));
    if (selector.startsWith('@')) {
      at = ALWAYS.test(selector.toLowerCase()) ? open + 1 : afterBlock(text, open);
      continue;
    }
    const close = text.indexOf('}', open);
    const end = close === -1 ? text.length : close;
    addRule(rules, selector, text.slice(open + 1, end));
    at = end + 1;
  }
}

function afterBlock(text: string, open: number): number {
  BRACES.lastIndex = open;
  let depth = 0;
  for (let brace = BRACES.exec(text); brace; brace = BRACES.exec(text)) {
    depth += brace[0] === '{' ? 1 : -1;
    if (depth === 0) return BRACES.lastIndex;
  }
  return text.length;
}

const BRACES = /[{}]/g;
const MAX_SELECTORS = 100;
/** `p`, `.x`, `p.x.y` or `#x`; states such as `:hover` are not those of an email that is read. */
const COMPOUND = /^(?:\*|[a-z][\w-]*)?(?:[.#][\w-]+)*$/i;
const MAX_COMPOUNDS = 10;
/** Programs put every email into them. */
const AROUND_ALL = new Set(['html', 'body']);

function addRule(rules: CssRules, selectors: string, css: string): void {
  const { all, important } = parseDeclarations(css);
  if (all.size === 0) return;
  for (const selector of selectors.split(',', MAX_SELECTORS)) {
    const compounds = selector.trim().split(/[\s>+~]+/);
    const last = compounds.pop() ?? '';
    const [key, ...also] = COMPOUND.test(last) ? keysIn(last) : [];
    if (key === undefined) continue;
    const rule: CssRule = rules.get(key) ?? { all: new Map(), important: new Map(), narrow: [], mayPaint: false };
    rules.set(key, rule);
    if (/[+~]/.test(selector) || compounds.length > MAX_COMPOUNDS || !compounds.every((each) => COMPOUND.test(each)))
      rule.mayPaint ||= ['color', 'background', 'background-color'].some((each) => all.has(each));
    else if (compounds.length + also.length > 0) {
      const within = compounds.flatMap(keysIn).filter((each) => !AROUND_ALL.has(each));
      if (rule.narrow.length < MAX_NARROW) rule.narrow.push({ all, important, also, within });
    } else {
      for (const [property, value] of all) rule.all.set(property, value);
      for (const [property, value] of important) rule.important.set(property, value);
    }
  }
}

/** Of one key; each is looked at for every element with that key. */
const MAX_NARROW = 100;

/** `p.x.y` is `p.x` and `.y`; `*` is everything and has no key. */
function keysIn(compound: string): string[] {
  const [tag = ''] = /^[^.#]*/.exec(compound) ?? [];
  const [first = '', ...others] = compound.slice(tag.length).match(/[.#][^.#]+/g) ?? [];
  const key = `${tag === '*' ? '' : tag.toLowerCase()}${first}`;
  return key === '' ? [] : [key, ...others];
}

/** Mailings repeat few classes many times. */
const known = new Map<string, readonly string[]>();
const MAX_KNOWN = 2_000;
const MAX_CLASSES = 500;
const NO_KEYS: readonly string[] = [];

/** Those of its classes and its id; the name of its tag is one, too. */
export function keysOf(name: string, { class: classes, id }: { class?: string; id?: string }): readonly string[] {
  if (id !== undefined)
    return [...keysOf(name, classes === undefined ? {} : { class: classes }), `#${id}`, `${name}#${id}`];
  if (classes === undefined) return NO_KEYS;
  const key = `${name} ${classes}`;
  const cached = known.get(key);
  if (cached) return cached;
  const keys = [...new Set(classes.split(/\s+/))].flatMap((each) => [`.${each}`, `${name}.${each}`]);
  if (classes.length > MAX_CLASSES) return keys;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, keys);
  return keys;
}

function lastPiece(text: string): string {
  return text.slice(Math.max(text.lastIndexOf(';'), text.lastIndexOf('}')) + 1).trim();
}
