import type { Pad } from './pad.ts';

/** Placeholder for the content of a skipped attachment. */
const MARK = 'bytes:';
const MAX_MARK = 40;
const [NEWLINE, RETURN, SPACE, TAB, DASH, EQUALS] = [0x0a, 0x0d, 0x20, 0x09, 0x2d, 0x3d];
const MAX_FIELD = 2_000;
const MAX_BOUNDARIES = 200;
/** Each may be a boundary of a part. Lines beyond the limit get a leading space, which makes them text. */
const MAX_DASHED_LINES = 2_000;
const INDENT = Buffer.from(' ');
const BOUNDARY = /\bboundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i;

/**
 * Collects emails line by line without attachments: of base64 content that is not text only the size is kept. Most of
 * a mailbox consists of attachments, of which only the size is needed.
 */
export function createSlimPad(pad: Pad): Pad {
  let state: 'head' | 'body' | 'file' = 'head';
  let [field, type, encoding, characters, dashed] = ['', '', '', 0, 0];
  const boundaries = new Set<string>();

  function head(data: Buffer, start: number, end: number): void {
    const first = data[start];
    if (first === NEWLINE || first === RETURN) {
      endField();
      state = encoding === 'base64' && /^(?!text\/|message\/|multipart\/)./.test(type) ? 'file' : 'body';
      characters = 0;
    } else {
      if (first !== SPACE && first !== TAB) endField();
      if (field.length < MAX_FIELD) field += data.toString('latin1', start, Math.min(end, start + MAX_FIELD));
    }
    pad.add(data, start, end);
  }

  function endField(): void {
    type = /^content-type:\s*([^;\s]+)/i.exec(field)?.[1]?.toLowerCase() ?? type;
    encoding = /^content-transfer-encoding:\s*(\S+)/i.exec(field)?.[1]?.toLowerCase() ?? encoding;
    const [, quoted, bare] = (type.startsWith('multipart/') && BOUNDARY.exec(field)) || [];
    const boundary = quoted ?? bare;
    if (boundary !== undefined && boundaries.size < MAX_BOUNDARIES) boundaries.add(boundary);
    field = '';
  }

  function isBoundary(data: Buffer, start: number, end: number): boolean {
    if (dashed > MAX_DASHED_LINES) return false;
    // Base64 contains no dashes, so a dash also ends an attachment whose boundary is missing.
    if (state === 'file') return true;
    return end - start < MAX_FIELD && boundaries.has(data.toString('latin1', start + 2, end).trimEnd());
  }

  function endFile(): void {
    if (state !== 'file') return;
    const size = Buffer.from(`${MARK}${Math.floor((characters * 3) / 4)}`);
    const line = Buffer.from(`${size.toString('base64')}\n`);
    pad.add(line, 0, line.length);
  }

  return {
    add(data, start, end) {
      const isDashed = data[start] === DASH && data[start + 1] === DASH;
      if (isDashed) dashed += 1;
      if (isDashed && dashed > MAX_DASHED_LINES) pad.add(INDENT, 0, INDENT.length);
      if (state === 'head') head(data, start, end);
      else if (isDashed && isBoundary(data, start, end)) {
        endFile();
        pad.add(data, start, end);
        [state, field, type, encoding] = ['head', '', '', ''];
      } else if (state === 'body') pad.add(data, start, end);
      else characters += countCharacters(data, start, end);
    },
    take() {
      endFile();
      [state, field, type, encoding, dashed] = ['head', '', '', '', 0];
      boundaries.clear();
      return pad.take();
    },
  };
}

/** The size of an attachment whose content was left out; undefined for all others. */
export function sizeOf(encoded: Buffer): number | undefined {
  if (encoded.length > MAX_MARK) return undefined;
  const [, size] = /^bytes:(\d+)$/.exec(Buffer.from(encoded.toString('latin1'), 'base64').toString('latin1')) ?? [];
  return size === undefined ? undefined : Number(size);
}

/** Without line break and padding. */
function countCharacters(data: Buffer, start: number, end: number): number {
  let last = end;
  while (last > start && (data[last - 1] as number) <= SPACE) last -= 1;
  while (last > start && data[last - 1] === EQUALS) last -= 1;
  return last - start;
}
