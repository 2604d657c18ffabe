/** Invisible characters: they fill the preview of an email, keep lines from breaking, or hide text from filters. */
const INVISIBLE = /\u034f|[\u00ad\u115f\u180e\u200b\u2060\u2800\u3164\ufeff\uffa0]/g;
/** Joiners beside a blank join nothing. */
const LONE_JOINERS = /(?<=^|\s)[\u200c\u200d]+|[\u200c\u200d]+(?=\s|$)/g;
const UNUSUAL = /\u034f|[\u00ad\u115f\u180e\u200b-\u200d\u2060\u2800\u3164\ufeff\uffa0]/;
const MAX_QUOTES = 10;

/** Writes the text of a page: words, lines and paragraphs. */
export function createWriter() {
  const finished: string[] = [];
  let text = '';
  let isEmpty = true;
  let [breaks, needsSpace] = [0, false];
  let [quotes, lastQuotes] = [0, 0];

  function begin(startsWithSpace: boolean): void {
    if (isEmpty) text = prefix(quotes);
    else if (breaks > 0) text += between(lastQuotes, quotes, Math.min(breaks, 2));
    else if (needsSpace || startsWithSpace) text += ' ';
    isEmpty = false;
    breaks = 0;
    lastQuotes = quotes;
  }

  return {
    /** Spaces, tabs and newlines of a page are one space. */
    write(raw: string): void {
      const words = withoutInvisible(raw);
      const bare = words.trim();
      if (bare === '') {
        needsSpace ||= words !== '';
        return;
      }
      begin(isBlank(words.charCodeAt(0)));
      text += /\s\s|[^\S ]/.test(bare) ? bare.replaceAll(/\s+/g, ' ') : bare;
      needsSpace = isBlank(words.charCodeAt(words.length - 1));
    },
    /** One line of a text in which spaces count. */
    writeLine(line: string): void {
      const words = withoutInvisible(line).trimEnd();
      if (words === '') return;
      begin(false);
      text += words;
      needsSpace = false;
    },
    newline(): void {
      breaks += 1;
      needsSpace = false;
    },
    separate(lines: number): void {
      breaks = Math.max(breaks, lines);
      needsSpace = false;
    },
    /** Text from here on is quoted so many times. */
    quote(depth: number): void {
      quotes = Math.min(MAX_QUOTES, depth);
    },
    /** From here on, `marked` returns what was written. */
    mark(): void {
      finished.push(text);
      text = '';
    },
    marked: () => text.trim(),
    text: () => finished.join('') + text,
  };
}

function prefix(quotes: number): string {
  return quotes === 0 ? '' : `${'>'.repeat(quotes)} `;
}

function between(last: number, next: number, breaks: number): string {
  const blank = breaks > 1 ? `\n${'>'.repeat(Math.min(last, next))}` : '';
  return `${blank}\n${prefix(next)}`;
}

function withoutInvisible(text: string): string {
  return UNUSUAL.test(text) ? text.replaceAll(INVISIBLE, '').replaceAll(LONE_JOINERS, '') : text;
}

function isBlank(code: number): boolean {
  return (
    code === 0x20 || (code >= 9 && code <= 13) || code === 0xa0 || (code > 0xff && /\s/.test(String.fromCharCode(code)))
  );
}
