import { htmlToText } from '../../lib/html-text.ts';

/** The tags of formatted messages. */
const TAGS = /^(?:p|br|strong|em|del|a|code|pre|blockquote|ul|ol|li|h[1-6]|span|div|mx-reply|u|sup|sub|hr)$/;
const MARKUP = /<(\/?)([a-z][a-z\d-]*)\b[^<>]*>|<[!?]/gi;

/**
 * Beeper gives the text of a message as plain text, or formatted as HTML, and does not say which. Only what consists of
 * the tags of formatted messages, each of them closed, is read as HTML.
 */
export function plainText(text: string): string {
  return isFormatted(text) ? htmlToText(text).trim() : text;
}

function isFormatted(text: string): boolean {
  const open: string[] = [];
  let count = 0;
  for (const [, slash, name = ''] of text.matchAll(MARKUP)) {
    const tag = name.toLowerCase();
    if (!TAGS.test(tag)) return false;
    count += 1;
    if (tag === 'br' || tag === 'hr') continue;
    if (!slash) open.push(tag);
    else if (open.pop() !== tag) return false;
  }
  return count > 0 && open.length === 0;
}
