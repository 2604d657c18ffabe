const [NEWLINE, RETURN, SPACE, TAB] = [0x0a, 0x0d, 0x20, 0x09];
/** How much is read at first, and then, to find the end of the headers. */
const USUAL_SIZES = [2 * 1024, 16 * 1024, 64 * 1024];
const MAX_BLOCK = 1024 * 1024;
const MAX_FIELD = 128 * 1024;
const MAX_FIELDS = 10_000;

/** A header with its name in lower case. Characters of the value are bytes; its line breaks are still in it. */
export interface HeaderField {
  name: string;
  value: string;
}

/** The headers of an email or a part. */
export interface HeaderBlock {
  fields: readonly HeaderField[];
  /** Where the body begins. */
  end: number;
  /** Whether some headers were too many or too long to be read. */
  isCut: boolean;
}

/** Reads the headers with the names in `wanted`, from `start`. */
export function readHeader(bytes: Buffer, start: number, end: number, wanted: ReadonlySet<string>): HeaderBlock {
  for (const size of USUAL_SIZES) {
    const text = bytes.toString('latin1', start, Math.min(end, start + size));
    const blank = endOfBlock(text);
    if (blank !== -1) return { ...blockOf(text, blank, start, wanted), isCut: false };
    if (start + size >= end) return { ...blockOf(text, endWithoutBlankLine(text), start, wanted), isCut: false };
  }
  const last = endOfLongBlock(bytes, start, end);
  const { text, isCut } = shortened(bytes, start, last);
  return { fields: fieldsIn(text, wanted), end: last, isCut };
}

/** A program that has forgotten the headers, and the blank line after them, begins with the body. */
function blockOf(text: string, end: number, start: number, wanted: ReadonlySet<string>): Omit<HeaderBlock, 'isCut'> {
  const fields = fieldsIn(text.slice(0, end), wanted);
  const isBody = fields.length === 0 && end > 2 && !FIRST_HEADER.test(text);
  return { fields, end: isBody ? start : start + end };
}

/** An mbox file has a `From ` line before the headers. */
const FIRST_HEADER = /^(?:>?From |[!-9;-~]+[ \t]*:)/;

/** After the blank line; -1 if there is none. */
function endOfBlock(text: string): number {
  if (text.startsWith('\n')) return 1;
  if (text.startsWith('\r\n')) return 2;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    const next = text.charCodeAt(at + 1);
    if (next === NEWLINE) return at + 2;
    if (next === RETURN && text.charCodeAt(at + 2) === NEWLINE) return at + 3;
  }
  return -1;
}

/** The first line that cannot be a header is the beginning of the body. */
function endWithoutBlankLine(text: string): number {
  const second = text.indexOf('\n') + 1;
  const body = /^(?![ \t])[^:\n]*(?:\n|$)/m.exec(text.slice(second));
  return body === null ? text.length : second + body.index;
}

function endOfLongBlock(bytes: Buffer, start: number, end: number): number {
  const rest = bytes.subarray(start, end);
  const [plain, internet] = [rest.indexOf('\n\n'), rest.indexOf('\n\r\n')];
  if (plain === -1 && internet === -1) return end;
  return internet === -1 || (plain !== -1 && plain < internet) ? start + plain + 2 : start + internet + 3;
}

/** A block that is far too long, without its longest lines, so that the others are found. */
function shortened(bytes: Buffer, start: number, end: number): { text: string; isCut: boolean } {
  let text = '';
  let isCut = false;
  for (let at = start; at < end; ) {
    const newline = bytes.indexOf(NEWLINE, at);
    const next = newline === -1 || newline >= end ? end : newline + 1;
    if (text.length + next - at <= MAX_BLOCK && next - at <= MAX_FIELD) text += bytes.toString('latin1', at, next);
    else isCut = true;
    if (text.length >= MAX_BLOCK) break;
    at = next;
  }
  return { text, isCut };
}

function fieldsIn(block: string, wanted: ReadonlySet<string>): HeaderField[] {
  const fields: HeaderField[] = [];
  let colon = -1;
  for (let at = 0; at < block.length && fields.length < MAX_FIELDS; ) {
    const end = endOfField(block, at);
    // Looked for once only: it may be many lines away.
    if (colon < at) colon = block.indexOf(':', at);
    if (colon === -1) break;
    if (colon < end && colon - at <= 64) {
      const name = block.slice(at, colon).trimEnd().toLowerCase();
      if (wanted.has(name)) fields.push({ name, value: block.slice(colon + 1, Math.min(end, colon + MAX_FIELD)) });
    }
    at = end + 1;
  }
  return fields;
}

/** The line break that no blank follows. */
function endOfField(block: string, start: number): number {
  for (let at = block.indexOf('\n', start); at !== -1; at = block.indexOf('\n', at + 1)) {
    const next = block.charCodeAt(at + 1);
    if (next !== SPACE && next !== TAB) return at;
  }
  return block.length;
}

/** A value on one line; still with its blanks. */
export function unfolded(value: string): string {
  return value.includes('\n') ? value.replaceAll(/\r?\n/g, '').trim() : value.trim();
}
