import { decodeEntities } from './html-entities.ts';

/** Their content is for programs, not for readers; the first end tag ends them, regardless of their content. */
const UNREADABLE = new Set(['script', 'style', 'title', 'template', 'iframe', 'noframes', 'textarea']);
const PARAGRAPHS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'table', 'blockquote', 'pre', 'hr']);
const LINES = new Set([
  ...[
    'div',
    'li',
    'tr',
    'section',
    'article',
    'header',
    'footer',
    'main',
    'nav',
    'aside',
    'address',
    'form',
    'fieldset',
  ],
  ...['dl', 'dt', 'dd', 'figure', 'figcaption', 'center', 'body', 'tbody', 'thead', 'caption', 'option'],
]);
const VOID = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);
const HIDING =
  /display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|max-height|opacity)\s*:\s*0(?![.\d])|mso-hide\s*:\s*all/i;
/** A hidden element that is never closed is shown; after so many of them the search for end tags stops. */
const MOST_UNCLOSED = 16;
/** Longer addresses are for click tracking. */
const LONGEST_ADDRESS = 200;
/** Invisible characters: they keep lines from breaking, or hide text from filters. */
const INVISIBLE = /\u034f|[\u00ad\u200b\u2060\ufeff]/g;

interface Tag {
  name: string;
  isClosing: boolean;
  /** All between the brackets. */
  text: string;
  end: number;
}

/**
 * The readable text of a page: paragraphs, lines, lists, targets of links. Nothing is loaded, nothing runs, and
 * hidden content is omitted. Its time is linear in the length of the page.
 */
export function htmlToText(html: string): string {
  const writer = createWriter();
  let [unclosed, isPreformatted] = [0, false];
  let link: { address: string; start: number } | undefined;

  function open(tag: Tag): number {
    if (UNREADABLE.has(tag.name)) return endOfElement(html, tag, false) ?? html.length;
    if (!VOID.has(tag.name) && unclosed < MOST_UNCLOSED && isHidden(tag)) {
      const end = endOfElement(html, tag, true);
      if (end !== undefined) return end;
      unclosed += 1;
    }
    if (tag.name === 'a') link = { address: attribute(tag, 'href') ?? '', start: writer.length() };
    if (tag.name === 'img') writer.write(attribute(tag, 'alt') ?? '');
    separate(tag);
    if (tag.name === 'li') writer.write('- ');
    return tag.end;
  }

  function close(tag: Tag): number {
    if (tag.name === 'a' && link) {
      const address = worthShowing(link.address, writer.since(link.start));
      if (address !== undefined) writer.write(` (${address})`);
      link = undefined;
    }
    separate(tag);
    return tag.end;
  }

  function write(text: string): void {
    const [first = '', ...others] = isPreformatted ? text.split('\n') : [text];
    writer.write(decodeEntities(first));
    for (const line of others) {
      writer.newline();
      writer.write(decodeEntities(line));
    }
  }

  function separate({ name, isClosing }: Tag): void {
    if (name === 'pre') isPreformatted = !isClosing;
    if (name === 'br') writer.newline();
    else if (PARAGRAPHS.has(name)) writer.separate(2);
    else if (LINES.has(name)) writer.separate(1);
    else if (name === 'td' || name === 'th') writer.write(' ');
  }

  for (let at = 0; at < html.length; ) {
    const bracket = html.indexOf('<', at);
    write(html.slice(at, bracket === -1 ? undefined : bracket));
    if (bracket === -1) break;
    const next = endOfMarkup(html, bracket) ?? tagAt(html, bracket);
    if (typeof next === 'number') at = next;
    else if (next === 'text') {
      write('<');
      at = bracket + 1;
    } else if (next === 'unended') {
      write(html.slice(bracket));
      break;
    } else at = next.isClosing ? close(next) : open(next);
  }
  return writer.text();
}

function createWriter() {
  const parts: string[] = [];
  let [breaks, needsSpace] = [0, false];

  return {
    /** Spaces, tabs and newlines of a page are one space. */
    write(text: string): void {
      const words = text.replaceAll(INVISIBLE, '').replaceAll(/\s+/g, ' ');
      const bare = words.trim();
      if (bare === '') {
        needsSpace ||= words !== '';
        return;
      }
      if (breaks > 0 && parts.length > 0) parts.push('\n'.repeat(Math.min(breaks, 2)));
      else if (parts.length > 0 && (needsSpace || words.startsWith(' '))) parts.push(' ');
      parts.push(bare);
      breaks = 0;
      needsSpace = words.endsWith(' ');
    },
    newline(): void {
      breaks += 1;
      needsSpace = false;
    },
    separate(lines: number): void {
      breaks = Math.max(breaks, lines);
      needsSpace = false;
    },
    length: () => parts.length,
    since: (start: number) => parts.slice(start).join('').trim(),
    text: () => parts.join(''),
  };
}

/** After a comment or a declaration; undefined where none begins. */
function endOfMarkup(html: string, at: number): number | undefined {
  const next = html[at + 1];
  if (next !== '!' && next !== '?') return undefined;
  const [ending, from] = html.startsWith('<!--', at) ? ['-->', at + 4] : ['>', at + 2];
  const end = html.indexOf(ending, from);
  return end === -1 ? html.length : end + ending.length;
}

const NAME = /\/?([a-z][a-z\d:-]{0,31})(?=[\s/>])/iy;

function tagAt(html: string, at: number): Tag | 'text' | 'unended' {
  NAME.lastIndex = at + 1;
  const [whole, name] = NAME.exec(html) ?? [];
  if (whole === undefined || name === undefined) return 'text';
  const start = at + 1 + whole.length;
  const end = endOfTag(html, start);
  if (end === undefined) return 'unended';
  return { name: name.toLowerCase(), isClosing: whole.startsWith('/'), text: html.slice(start, end), end: end + 1 };
}

/** Quotes keep a bracket from ending a tag, as in browsers; one that is never closed does not. */
function endOfTag(html: string, start: number): number | undefined {
  for (let at = start; at < html.length; at++) {
    const character = html[at];
    if (character === '>') return at;
    if (character !== '"' && character !== "'") continue;
    const quote = html.indexOf(character, at + 1);
    if (quote !== -1) at = quote;
  }
  return undefined;
}

/** After the end tag that belongs to this one; undefined where it has none. */
function endOfElement(html: string, { name, end }: Tag, canNest: boolean): number | undefined {
  const tags = new RegExp(`<(/?)${name}(?=[\\s/>])[^>]*>?`, 'gi');
  tags.lastIndex = end;
  let depth = 1;
  for (let tag = tags.exec(html); tag; tag = tags.exec(html)) {
    if (tag[1] === '/') depth -= 1;
    else if (canNest) depth += 1;
    if (depth === 0) return tags.lastIndex;
  }
  return undefined;
}

function isHidden(tag: Tag): boolean {
  return (
    /\shidden(?=[\s=/]|$)/i.test(tag.text.replaceAll(/"[^"]*"|'[^']*'/g, '""')) ||
    HIDING.test(attribute(tag, 'style') ?? '')
  );
}

function attribute({ text }: Tag, name: 'href' | 'alt' | 'style'): string | undefined {
  const [, , double, single, bare] = ATTRIBUTES[name].exec(text) ?? [];
  const value = double ?? single ?? bare;
  return value === undefined ? undefined : decodeEntities(value);
}

const ATTRIBUTES = { href: attributePattern('href'), alt: attributePattern('alt'), style: attributePattern('style') };

function attributePattern(name: string): RegExp {
  return new RegExp(`(?:^|[\\s"'])${name}\\s*=\\s*("([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
}

/** A web URL that differs from the link's text. */
function worthShowing(address: string, text: string): string | undefined {
  if (!/^https?:\/\/\S+$/i.test(address) || address.length > LONGEST_ADDRESS || text === '') return undefined;
  const bare = address.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, '');
  return text.includes(bare) ? undefined : address;
}
