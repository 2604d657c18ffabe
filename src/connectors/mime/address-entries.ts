/** One entry of an address list (RFC 5322 section 3.4), undecoded. */
export interface AddressEntry {
  /** Text outside of brackets and comments. */
  phrase: string;
  /** The same without what is in quotes. */
  unquoted: string;
  comment: string;
  /** In angle brackets. */
  address: string | undefined;
  /** Whether there is an at sign outside of quotes, brackets and comments. */
  hasSign: boolean;
}

const SPECIAL = /["(<,;:]/g;

/** Its time is linear in the length of the header, whatever is in it. */
export function* addressEntries(header: string): Generator<AddressEntry> {
  let entry = newEntry();
  /** Opening characters that nothing closes: nothing closes the later ones either. */
  const unclosed = new Set<string>();
  for (let at = 0; at < header.length; ) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(header)?.index ?? header.length;
    addText(entry, header.slice(at, next));
    const character = header[next];
    if (character === undefined) break;
    at = next + 1;
    if (character === ',' || character === ';') {
      yield entry;
      entry = newEntry();
    } else if (character === ':') {
      // After the name of a group, or `mailto`.
      if (entry.address === undefined && !entry.hasSign) entry = newEntry();
      else addText(entry, ':');
    } else {
      const end = unclosed.has(character) ? -1 : endOf(header, character, at);
      if (end === -1) unclosed.add(character);
      at = end === -1 ? takeUnclosed(entry, character, header, at) : take(entry, character, header, at, end);
    }
  }
  yield entry;
}

function newEntry(): AddressEntry {
  return { phrase: '', unquoted: '', comment: '', address: undefined, hasSign: false };
}

function addText(entry: AddressEntry, text: string): void {
  entry.phrase += text;
  entry.unquoted += text;
  entry.hasSign ||= text.includes('@');
}

/** Returns where the rest begins. */
function take(entry: AddressEntry, opening: string, header: string, start: number, end: number): number {
  const content = header.slice(start, end);
  if (opening === '<') entry.address ??= content;
  else if (opening === '(') entry.comment += ` ${unescaped(content)}`;
  else entry.phrase += unescaped(content);
  return end + 1;
}

/** An address goes on to the next blank or comma; a quote or a parenthesis is text. */
function takeUnclosed(entry: AddressEntry, opening: string, header: string, start: number): number {
  if (opening !== '<') {
    addText(entry, opening);
    return start;
  }
  END_OF_WORD.lastIndex = start;
  const end = END_OF_WORD.exec(header)?.index ?? header.length;
  entry.address ??= header.slice(start, end);
  return end;
}

const END_OF_WORD = /[\s,;"(<]/g;

/** Index of the character that closes a bracket or quote; -1 if there is none. */
function endOf(header: string, opening: string, start: number): number {
  if (opening === '<') return header.indexOf('>', start);
  const pattern = opening === '"' ? /["\\]/g : /[()\\]/g;
  pattern.lastIndex = start;
  let depth = 1;
  for (let found = pattern.exec(header); found; found = pattern.exec(header)) {
    const [character] = found;
    if (character === '\\') pattern.lastIndex += 1;
    else if (character === '(') depth += 1;
    else if (--depth === 0) return found.index;
  }
  return -1;
}

function unescaped(content: string): string {
  return content.includes('\\') ? content.replaceAll(/\\(.)/gs, '$1') : content;
}
