/** A line of the protocol, taken apart. */
export interface ParsedLine {
  tags: Readonly<Record<string, string | undefined>>;
  /** Who says it: a nickname, or the name of a server. */
  nick: string;
  /** The same with the user's name and machine, as the server puts it before the line. */
  prefix: string;
  /** Whether it comes from a server and not from somebody. */
  fromServer: boolean;
  command: string;
  params: readonly string[];
}

/** What we write: a command, its parameters, and tags where the server takes them. */
export interface OutgoingLine {
  tags?: Readonly<Record<string, string>>;
  command: string;
  params: readonly string[];
}

const TAG_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  ';': '\\:',
  ' ': '\\s',
  '\r': '\\r',
  '\n': '\\n',
};
const UTF8_LONGEST = 4;

/**
 * The line as it goes over the wire, without its end. Only the last parameter may hold spaces; a character that would end
 * the line and begin another command never gets here, and is an error of ours when it does.
 */
export function wireLine({ tags = {}, command, params }: OutgoingLine): string {
  const written = Object.entries(tags).map(([key, value]) => `${key}=${escapeTag(value)}`);
  const head = written.length > 0 ? `@${written.join(';')} ` : '';
  const middle = params.slice(0, -1);
  if (!middle.every(isMiddle)) throw new Error('a parameter of an IRC command holds a space or begins with a colon');
  const last = params.length > 0 ? [`:${params.at(-1)}`] : [];
  const line = head + [command, ...middle, ...last].join(' ');
  if (/[\r\n\0]/.test(line)) throw new Error('an IRC line holds the end of another');
  return line;
}

/** Whether it can stand for one person or one channel in a command. */
export function isTarget(text: string): boolean {
  return isMiddle(text) && !text.includes(',') && !text.startsWith('$');
}

/**
 * Cuts a text into pieces that fit into a line each: at its own line ends, then at spaces where there are some, never within
 * a character. Empty lines are left out, because the protocol has no word for them.
 */
export function splitText(text: string, maxBytes: number): string[] {
  return text
    .replaceAll('\0', '')
    .split(/[\r\n]+/)
    .flatMap((line) => [...pieces(line, Math.max(maxBytes, UTF8_LONGEST))]);
}

function* pieces(line: string, maxBytes: number): Generator<string> {
  let rest = line;
  while (rest !== '') {
    const end = endOfPiece(rest, maxBytes);
    const piece = rest.slice(0, end);
    if (piece.trim() !== '') yield piece;
    rest = rest.slice(end);
  }
}

function endOfPiece(text: string, maxBytes: number): number {
  let bytes = 0;
  let end = 0;
  let afterSpace = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) return afterSpace > end / 2 ? afterSpace : end;
    end += character.length;
    if (character === ' ') afterSpace = end;
  }
  return end;
}

function isMiddle(text: string): boolean {
  return text !== '' && !text.startsWith(':') && !/[ \r\n\0]/.test(text);
}

function escapeTag(value: string): string {
  return value.replace(/[\\; \r\n]/g, (character) => TAG_ESCAPES[character] ?? '').replaceAll('\0', '');
}
