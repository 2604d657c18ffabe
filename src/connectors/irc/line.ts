/** A parsed line of the protocol. */
export interface ParsedLine {
  tags: Readonly<Record<string, string | undefined>>;
  /** Sender: a nickname, or the name of a server. */
  nick: string;
  /** The full prefix with user name and host. */
  prefix: string;
  /** Whether the sender is a server. */
  fromServer: boolean;
  command: string;
  params: readonly string[];
}

/** An outgoing line: a command, its parameters, and tags if the server supports them. */
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
 * The encoded line without its line break. Only the last parameter may contain spaces. A character that would end the
 * line must have been removed before; it is a bug here.
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

/** Whether it can be a single target in a command. */
export function isTarget(text: string): boolean {
  return isMiddle(text) && !text.includes(',') && !text.startsWith('$');
}

/**
 * Splits a text into pieces that fit into one line each: at its line breaks, then at spaces if possible, never inside
 * a character. Empty lines are left out, because the protocol cannot send them.
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
