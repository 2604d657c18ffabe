import { keysOf } from './css-rules.ts';
import type { Effects } from './css-visibility.ts';
import type { Tag, TagAttributes } from './html-tags.ts';
import { PAGE_STYLE, styleWithin, type TextStyle } from './html-visibility.ts';

/** An element that is open. */
export interface OpenElement {
  name: string;
  style: TextStyle;
  effects: Effects | undefined;
  attributes: TagAttributes;
  /** How many quotations it is in. */
  quotes: number;
  /** Entries of a numbered list so far; undefined in others. */
  entries: number | undefined;
}

type Named = Pick<Tag, 'name' | 'attributes'>;

/** End tags have no effect on elements outside of these. */
const SCOPES = new Set(['table', 'td', 'th', 'caption', 'template', 'object', 'applet', 'marquee']);
const TABLES = new Set(['table', 'template']);
const IN_TABLES = new Set(['td', 'th', 'tr', 'tbody', 'thead', 'tfoot', 'caption']);
const CELLS = new Set(['td', 'th', 'caption', 'object', 'applet', 'marquee', 'template']);
/** They go on after the end of the element around them, until their own end tag. */
const FORMATTING = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));
const CLOSES_PARAGRAPH = new Set(
  'address article aside blockquote center details dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li dd dt main menu nav ol p pre section summary table ul'.split(
    ' ',
  ),
);
/** What a start tag closes, unless it is outside of one of these. */
const CLOSES: ReadonlyMap<string, { closed: readonly string[]; within: readonly string[] }> = new Map([
  ['li', { closed: ['li'], within: ['ul', 'ol'] }],
  ['dt', { closed: ['dt', 'dd'], within: ['dl'] }],
  ['dd', { closed: ['dt', 'dd'], within: ['dl'] }],
  ['td', { closed: ['td', 'th'], within: ['table'] }],
  ['th', { closed: ['td', 'th'], within: ['table'] }],
  ['tr', { closed: ['tr'], within: ['table'] }],
  ['tbody', { closed: ['tbody', 'thead', 'tfoot'], within: ['table'] }],
  ['option', { closed: ['option'], within: ['select'] }],
]);
/** More formatting elements than these are not carried on. */
const MAX_CARRIED = 50;

/**
 * The open elements of a page, as browsers see them (HTML Standard, section 13.2.6). Each tag takes constant time, on average:
 * where an element is in the stack is known by its name.
 */
export function createElements() {
  const stack: OpenElement[] = [];
  /** Indexes in the stack, by name; those of scopes and of tables. */
  const places = new Map<string, number[]>();
  const scopes: number[] = [];
  const tables: number[] = [];
  /** How many elements have a key; undefined until a rule depends on it. */
  let counts: Map<string, number> | undefined;
  let isRestHidden = false;

  function style(): TextStyle {
    return stack.at(-1)?.style ?? PAGE_STYLE;
  }

  function quotes(): number {
    return stack.at(-1)?.quotes ?? 0;
  }

  function push({ name, attributes }: Named, effects: Effects | undefined, isQuote = false): void {
    const index = stack.length;
    const entries = name === 'ol' ? 0 : undefined;
    const within = { style: styleWithin(style(), effects), quotes: quotes() + (isQuote ? 1 : 0) };
    const element = { name, attributes, effects, entries, ...within };
    stack.push(element);
    count(element, 1);
    const known = places.get(name);
    if (known) known.push(index);
    else places.set(name, [index]);
    if (SCOPES.has(name)) scopes.push(index);
    if (TABLES.has(name)) tables.push(index);
  }

  function count({ name, attributes }: Named, change: number): void {
    if (counts === undefined) return;
    for (const key of keysOf(name, attributes)) counts.set(key, (counts.get(key) ?? 0) + change);
  }

  function isOpen(key: string): boolean {
    if (counts === undefined) {
      counts = new Map();
      for (const element of stack) count(element, 1);
    }
    return (counts.get(key) ?? 0) > 0 || placeOf(key) !== -1;
  }

  function pop(): OpenElement | undefined {
    const element = stack.pop();
    if (element === undefined) return undefined;
    places.get(element.name)?.pop();
    count(element, -1);
    if (scopes.at(-1) === stack.length) scopes.pop();
    if (tables.at(-1) === stack.length) tables.pop();
    return element;
  }

  function placeOf(name: string): number {
    return places.get(name)?.at(-1) ?? -1;
  }

  /** Closes the element at this place, and those in it. */
  function closeAt(place: number): OpenElement | undefined {
    const carried: OpenElement[] = [];
    const isCell = CELLS.has(stack[place]?.name ?? '');
    while (stack.length > place + 1) {
      const element = pop();
      if (element?.effects === undefined || isCell || !FORMATTING.has(element.name)) continue;
      if (carried.length < MAX_CARRIED) carried.push(element);
      else isRestHidden ||= !element.style.isShown;
    }
    const closed = pop();
    for (const element of carried.reverse()) push(element, element.effects);
    return closed;
  }

  return {
    /** How text looks here. */
    isShown: () => !isRestHidden && style().isShown,
    isPreformatted: () => style().isPreformatted,
    quotes,
    /** Whether one with this name, class or id is open. */
    isOpen,
    /** Closes what ends where an element with this name begins. */
    closeBefore(name: string): void {
      const scope = scopes.at(-1) ?? -1;
      const rule = CLOSES.get(name);
      if (rule) {
        const limit = Math.max(-1, ...rule.within.map(placeOf));
        const place = Math.max(...rule.closed.map(placeOf));
        if (place > limit) closeAt(place);
      }
      if (CLOSES_PARAGRAPH.has(name) && placeOf('p') > scope) closeAt(placeOf('p'));
    },
    /** After `closeBefore`. */
    open: push,
    /** Returns the element, if one was open. */
    close(name: string): OpenElement | undefined {
      const place = placeOf(name);
      const limit = name === 'table' ? -1 : ((IN_TABLES.has(name) ? tables : scopes).at(-1) ?? -1);
      const isInScope = place !== -1 && (place > limit || (SCOPES.has(name) && place === limit));
      return isInScope ? closeAt(place) : undefined;
    },
    /** The number of the next entry of the innermost list; undefined if its entries have none. */
    nextEntry(): number | undefined {
      const list = stack[Math.max(placeOf('ol'), placeOf('ul'))];
      if (list?.entries === undefined) return undefined;
      list.entries += 1;
      return list.entries;
    },
  };
}
