import { parseDeclarations } from './css-visibility.ts';

/** All rules for one selector, together. */
export interface CssRule {
  all: Map<string, string>;
  important: Map<string, string>;
  /** Whether a rule that applies only within other elements may paint it: they are not looked at. */
  mayPaint: boolean;
}

/** By the name of a tag (`p`), a class (`.x`, `p.x`) or an id (`#x`, `p#x`). */
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
/** `p`, `.x`, `p.x` or `#x`; states such as `:hover` are not those of an email that is read. */
const SIMPLE = /^(?:[a-z][\w-]*)?(?:[.#][\w-]+)?$/i;

function addRule(rules: CssRules, selectors: string, css: string): void {
  const { all, important } = parseDeclarations(css);
  if (all.size === 0) return;
  for (const selector of selectors.split(',', MAX_SELECTORS)) {
    const compounds = selector.trim().split(/[\s>+~]+/);
    const last = compounds.at(-1) ?? '';
    if (last === '' || !SIMPLE.test(last)) continue;
    const key = last.replace(/^[^.#]+/, (tag) => tag.toLowerCase());
    const rule = rules.get(key) ?? { all: new Map(), important: new Map(), mayPaint: false };
    rules.set(key, rule);
    if (compounds.length > 1)
      rule.mayPaint ||= ['color', 'background', 'background-color'].some((each) => all.has(each));
    else {
      for (const [property, value] of all) rule.all.set(property, value);
      for (const [property, value] of important) rule.important.set(property, value);
    }
  }
}

function lastPiece(text: string): string {
  return text.slice(Math.max(text.lastIndexOf(';'), text.lastIndexOf('}')) + 1).trim();
}
