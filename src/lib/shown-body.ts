import { visibleText } from './visible.ts';

/**
 * A text of another user below headings of ours, such as `From:`. A line that reads like one of them gets a `>`, and
 * one that begins with some gets one more, as in mbox files: without the first of these the text is as it was.
 */
export function shownBody(text: string, headings: readonly string[], show = visibleText): string {
  return show(text).replace(patternOf(headings), '>$&');
}

const patterns = new Map<readonly string[], RegExp>();

const SPACE = String.raw`[^\S\n\v\f\r\u2028\u2029]*`;

/** In upper or lower case and with any space: what a reader takes for a heading counts, after any line break. */
function patternOf(headings: readonly string[]): RegExp {
  let pattern = patterns.get(headings);
  if (!pattern) {
    const words = headings.map((heading) => heading.replace(/:$/, `${SPACE}[:：]`)).join('|');
    pattern = new RegExp(String.raw`(?<=^|[\v\f\x85])>*${SPACE}(?:${words})`, 'gimu');
    patterns.set(headings, pattern);
  }
  return pattern;
}
