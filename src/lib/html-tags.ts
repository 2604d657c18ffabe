/** Finds the markup of a page as browsers do (HTML Standard, section 13.2.5): what they show as text is text, and nothing else. */

export interface Tag {
  name: string;
  isClosing: boolean;
  attributes: TagAttributes;
  /** Index after the tag. */
  end: number;
}

/** Undecoded values of the attributes that matter to a reader. */
export interface TagAttributes {
  style?: string;
  href?: string;
  alt?: string;
  class?: string;
  id?: string;
  title?: string;
  hidden?: string;
  bgcolor?: string;
  background?: string;
  color?: string;
  width?: string;
  height?: string;
}

const WANTED: ReadonlySet<string> = new Set(
  'style href alt class id title hidden bgcolor background color width height'.split(' '),
);
const NOTHING: TagAttributes = {};

const [TAB, NEWLINE, FORM_FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0c, 0x0d, 0x20];
const [EXCLAMATION, DOUBLE, SINGLE, SLASH, EQUALS, GREATER, QUESTION] = [0x21, 0x22, 0x27, 0x2f, 0x3d, 0x3e, 0x3f];

/**
 * What begins at a `<`: a tag, the index after a comment, or `text`. A tag or comment that does not end goes on to the end of
 * the page.
 */
export function markupAt(html: string, at: number): Tag | number | 'text' {
  const next = html.charCodeAt(at + 1);
  if (isLetter(next)) return tagAt(html, at + 1, false);
  if (next === SLASH) {
    const second = html.charCodeAt(at + 2);
    if (isLetter(second)) return tagAt(html, at + 2, true);
    return Number.isNaN(second) ? 'text' : after(html, '>', at + 2);
  }
  if (next === EXCLAMATION)
    return html.startsWith('--', at + 2) ? afterComment(html, at + 2) : after(html, '>', at + 2);
  return next === QUESTION ? after(html, '>', at + 2) : 'text';
}

/** `<!-->` is a whole comment, and `--!>` ends one too. */
function afterComment(html: string, start: number): number {
  COMMENT_END.lastIndex = html.startsWith('-->', start) || html.startsWith('--->', start) ? start : start + 2;
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length;
}

const COMMENT_END = /--!?>/g;

function after(html: string, ending: string, start: number): number {
  const found = html.indexOf(ending, start);
  return found === -1 ? html.length : found + ending.length;
}

function tagAt(html: string, start: number, isClosing: boolean): Tag | number {
  let at = start + 1;
  for (let code = html.charCodeAt(at); !isEndOfName(code); code = html.charCodeAt(++at));
  const name = html.slice(start, at).toLowerCase();
  if (html.charCodeAt(at) === GREATER) return { name, isClosing, attributes: NOTHING, end: at + 1 };
  const attributes: TagAttributes = {};
  const end = readAttributes(html, at, attributes);
  return end === -1 ? html.length : { name, isClosing, attributes, end };
}

/** Returns the index after the tag; -1 if it does not end. */
function readAttributes(html: string, start: number, attributes: TagAttributes): number {
  for (let at = start; at < html.length; ) {
    const code = html.charCodeAt(at);
    if (code === GREATER) return at + 1;
    if (code === SLASH || isBlank(code)) {
      at += 1;
      continue;
    }
    const nameStart = at;
    // An equals sign at the beginning belongs to the name.
    at += 1;
    while (at < html.length && !isEndOfAttributeName(html.charCodeAt(at))) at += 1;
    const nameEnd = at;
    while (isBlank(html.charCodeAt(at))) at += 1;
    let [valueStart, valueEnd] = [at, at];
    if (html.charCodeAt(at) === EQUALS) {
      at += 1;
      while (isBlank(html.charCodeAt(at))) at += 1;
      const quote = html.charCodeAt(at);
      if (quote === DOUBLE || quote === SINGLE) {
        valueStart = at + 1;
        valueEnd = html.indexOf(quote === DOUBLE ? '"' : "'", valueStart);
        if (valueEnd === -1) return -1;
        at = valueEnd + 1;
      } else {
        valueStart = at;
        while (at < html.length && !isEndOfValue(html.charCodeAt(at))) at += 1;
        valueEnd = at;
      }
    }
    keep(attributes, html, nameStart, nameEnd, valueStart, valueEnd);
  }
  return -1;
}

/** The first of several with one name counts. */
function keep(
  attributes: TagAttributes,
  html: string,
  nameStart: number,
  nameEnd: number,
  valueStart: number,
  valueEnd: number,
): void {
  if (nameEnd - nameStart > LONGEST_NAME) return;
  const name = html.slice(nameStart, nameEnd).toLowerCase();
  if (WANTED.has(name)) attributes[name as keyof TagAttributes] ??= html.slice(valueStart, valueEnd);
}

const LONGEST_NAME = Math.max(...[...WANTED].map((name) => name.length));

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === RETURN || code === TAB || code === FORM_FEED;
}

function isEndOfName(code: number): boolean {
  return code === GREATER || code === SLASH || isBlank(code) || Number.isNaN(code);
}

function isEndOfAttributeName(code: number): boolean {
  return code === EQUALS || isEndOfName(code);
}

function isEndOfValue(code: number): boolean {
  return code === GREATER || isBlank(code);
}
