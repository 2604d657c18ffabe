import { addRules, type CssRules } from './css-rules.ts';
import { createElements } from './html-elements.ts';
import { decodeEntities } from './html-entities.ts';
import { linkNote } from './html-link.ts';
import { markupAt, type Tag } from './html-tags.ts';
import { effectsOfTag } from './html-visibility.ts';
import { createWriter } from './html-writer.ts';

/** Their content is for programs, not for readers; the first end tag ends them, regardless of their content. */
const UNREADABLE = new Set(['script', 'style', 'title', 'iframe', 'noframes', 'noembed', 'textarea', 'xmp']);
const PARAGRAPHS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'table', 'blockquote', 'pre', 'hr']);
const LINES = new Set(
  'div li tr section article header footer main nav aside address form fieldset dl dt dd figure figcaption center body tbody thead caption option'.split(
    ' ',
  ),
);
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

/** Indented text is a quotation without a line beside it. */
const INDENTED = /border\s*:\s*(?:none|0)/i;

/**
 * The text that a reader of the page sees: paragraphs, lines, lists, quotations, targets of links. Nothing is loaded, nothing
 * runs, and hidden text is left out. Its time is linear in the length of the page.
 */
export function htmlToText(html: string): string {
  const writer = createWriter();
  const elements = createElements();
  const rules: CssRules = new Map();
  let address: string | undefined;

  function open(tag: Tag): number {
    const { name, attributes } = tag;
    if (UNREADABLE.has(name)) return skip(tag);
    if (name === 'a') endLink();
    if (!VOID.has(name)) elements.closeBefore(name);
    const effects = effectsOfTag(tag, rules, elements.isOpen);
    if (VOID.has(name)) {
      if (elements.isShown() && effects?.removes !== true) showVoid(tag);
      return tag.end;
    }
    elements.open(tag, effects, name === 'blockquote' && !INDENTED.test(attributes.style ?? ''));
    if (!elements.isShown()) return tag.end;
    if (name === 'a') beginLink(attributes.href ?? '');
    separate(name, effects?.isBlock);
    if (name === 'li') write(`${entryMark()} `);
    return tag.end;
  }

  function close({ name, end }: Tag): number {
    const wasShown = elements.isShown();
    if (name === 'a') endLink();
    const closed = elements.close(name);
    if (name === 'br' && wasShown) writer.newline();
    if (wasShown || elements.isShown()) separate(name, closed?.effects?.isBlock);
    return end;
  }

  function entryMark(): string {
    const number = elements.nextEntry();
    return number === undefined ? '-' : `${number}.`;
  }

  function skip({ name, end }: Tag): number {
    const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
    close.lastIndex = end;
    const found = close.exec(html);
    if (name === 'style') addRules(rules, html.slice(end, found?.index));
    const next = found ? html.indexOf('>', found.index) : -1;
    return next === -1 ? html.length : next + 1;
  }

  function showVoid({ name, attributes }: Tag): void {
    if (name === 'br') writer.newline();
    else if (name === 'img' && !isPixel(attributes)) writer.write(` ${decodeEntities(attributes.alt ?? '')} `);
    else separate(name);
  }

  function beginLink(href: string): void {
    address = decodeEntities(href);
    writer.mark();
  }

  function endLink(): void {
    const note = address === undefined ? undefined : linkNote(address, writer.marked());
    if (note !== undefined) writer.write(` (${note})`);
    address = undefined;
  }

  function separate(name: string, isBlock = false): void {
    if (PARAGRAPHS.has(name)) writer.separate(2);
    else if (LINES.has(name) || isBlock) writer.separate(1);
    else if (name === 'td' || name === 'th') writer.write(' ');
  }

  function write(text: string): void {
    if (text === '' || !elements.isShown()) return;
    writer.quote(elements.quotes());
    if (!elements.isPreformatted()) {
      writer.write(decodeEntities(text));
      return;
    }
    for (const [index, line] of decodeEntities(text).split('\n').entries()) {
      if (index > 0) writer.newline();
      writer.writeLine(line);
    }
  }

  for (let at = 0; at < html.length; ) {
    const bracket = html.indexOf('<', at);
    write(html.slice(at, bracket === -1 ? undefined : bracket));
    if (bracket === -1) break;
    const next = markupAt(html, bracket);
    if (typeof next === 'number') at = next;
    else if (next === 'text') {
      write('<');
      at = bracket + 1;
    } else at = next.isClosing ? close(next) : open(next);
  }
  endLink();
  return writer.text();
}

/** An image that nobody sees tells its sender that the email was read. */
function isPixel({ width, height }: Tag['attributes']): boolean {
  return /^\s*[01](?:px)?\s*$/.test(width ?? '') || /^\s*[01](?:px)?\s*$/.test(height ?? '');
}
