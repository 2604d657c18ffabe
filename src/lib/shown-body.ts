import { visibleText } from './visible.ts';

/**
 * A text of another user below headings of ours, such as `From:`. A line that reads like one of them gets a `>`, and
 * one that begins with some gets one more, as in mbox files: without the first of these the text is as it was.
 */
export function shownBody(text: string, headings: readonly string[], show = visibleText): string {
  const pattern = patternOf(headings);
  const marked = show(text).replace(pattern, '>$&');
  return OTHER_FORMS.test(marked) ? marked.replace(LINE_STARTS, (start) => withMark(start, pattern)) : marked;
}

/** Wide, mathematical or circled letters, which look like others, and a blank that is no space. */
const OTHER_FORMS = /[\u2000-\u2bff\uff00-\uffee\ud835\ud83c]/;
/** As much of each line as a heading could take. */
const LINE_STARTS = /(?<=^|[\v\f\x85])[^\n\v\f\r\x85\u2028\u2029]{1,200}/gmu;

function withMark(start: string, pattern: RegExp): string {
  const plain = start.replaceAll('\u2800', ' ').normalize('NFKC');
  // An ordinary heading was marked already.
  return start.search(pattern) !== 0 && plain.search(pattern) === 0 ? `>${start}` : start;
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
