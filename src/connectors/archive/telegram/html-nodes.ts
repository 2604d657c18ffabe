import { decodeEntities } from '../../../lib/html-entities.ts';
import { markupAt, type Tag, type TagAttributes } from '../../../lib/html-tags.ts';

export interface HtmlElement {
  name: string;
  classes: ReadonlySet<string>;
  attributes: TagAttributes;
  children: (HtmlElement | string)[];
}

/** Exports are nested less than 20 deep; what is deeper belongs to the last element. */
const DEEPEST = 60;
const VOID = new Set(['br', 'img', 'meta', 'link', 'input', 'hr', 'wbr']);

/** The first element of a page or of a part of one; what follows it is not read. */
export function elementIn(html: string): HtmlElement | undefined {
  const open: HtmlElement[] = [];
  let first: HtmlElement | undefined;

  function begin(tag: Tag): void {
    const element = toElement(tag);
    open.at(-1)?.children.push(element);
    first ??= element;
    if (!VOID.has(tag.name) && open.length < DEEPEST) open.push(element);
  }

  function end(name: string): void {
    const index = open.findLastIndex((element) => element.name === name);
    if (index !== -1) open.length = index;
  }

  for (let at = 0; at < html.length; ) {
    const bracket = html.indexOf('<', at);
    if (bracket !== at) open.at(-1)?.children.push(html.slice(at, bracket === -1 ? undefined : bracket));
    if (bracket === -1) break;
    const next = markupAt(html, bracket);
    if (next === 'text') open.at(-1)?.children.push('<');
    else if (typeof next !== 'number' && next.isClosing) end(next.name);
    else if (typeof next !== 'number') begin(next);
    at = next === 'text' ? bracket + 1 : typeof next === 'number' ? next : next.end;
    if (first && open.length === 0) break;
  }
  return first;
}

/** The text of an element: lines end where the page breaks them. `toText` may replace elements. */
export function textIn(
  element: HtmlElement,
  toText: (child: HtmlElement) => string | undefined = () => undefined,
): string {
  return element.children
    .map((child) => {
      if (typeof child === 'string') return decodeEntities(child.replaceAll(/\s*\n\s*/g, ' '));
      return child.name === 'br' ? '\n' : (toText(child) ?? textIn(child, toText));
    })
    .join('');
}

/** The elements directly within, that have all these classes. */
export function childrenWith(element: HtmlElement, ...classes: readonly string[]): HtmlElement[] {
  return element.children.filter(
    (child) => typeof child !== 'string' && classes.every((each) => child.classes.has(each)),
  ) as HtmlElement[];
}

/** The first element with this class, at any depth. */
export function findWith(element: HtmlElement, wanted: string): HtmlElement | undefined {
  return allWith(element, wanted)[0];
}

export function allWith(element: HtmlElement, wanted: string): HtmlElement[] {
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return child.classes.has(wanted) ? [child] : allWith(child, wanted);
  });
}

function toElement({ name, attributes }: Tag): HtmlElement {
  const classes = new Set((attributes.class ?? '').split(/\s+/).filter((each) => each !== ''));
  return { name, classes, attributes, children: [] };
}
