const [NEWLINE, RETURN, SPACE, TAB, EQUALS] = [0x0a, 0x0d, 0x20, 0x09, 0x3d];

let scratch = Buffer.allocUnsafe(64 * 1024);
const MAX_SCRATCH = 4 * 1024 * 1024;

/** What is not valid is left as it is. Spaces at the end of a line were added on the way. */
export function decodeQuotedPrintable(bytes: Buffer): Buffer {
  const output = outputFor(bytes.length);
  const end = bytes.length;
  let length = 0;
  /** Length up to the last encoded byte: a space that is encoded is part of the text. */
  let encoded = 0;
  for (let at = 0; at < end; ) {
    const byte = bytes[at] as number;
    if (byte === EQUALS) {
      const value = hexPair(bytes[at + 1], bytes[at + 2]);
      if (value !== -1) {
        output[length++] = value;
        encoded = length;
        at += 3;
        continue;
      }
      const next = afterSoftBreak(bytes, at + 1);
      if (next !== -1) {
        at = next;
        continue;
      }
    } else if (byte === NEWLINE) {
      length = withoutBlanks(output, encoded, length);
    }
    output[length++] = byte;
    at += 1;
  }
  return output.subarray(0, length);
}

function outputFor(length: number): Buffer {
  if (length > MAX_SCRATCH) return Buffer.allocUnsafe(length);
  if (length > scratch.length) scratch = Buffer.allocUnsafe(Math.min(MAX_SCRATCH, length * 2));
  return scratch;
}

/** The length without blanks before a line break, which is kept. */
function withoutBlanks(output: Buffer, encoded: number, length: number): number {
  const hasReturn = length > encoded && output[length - 1] === RETURN;
  let kept = hasReturn ? length - 1 : length;
  if (kept <= encoded || !isBlank(output[kept - 1])) return length;
  while (kept > encoded && isBlank(output[kept - 1])) kept -= 1;
  if (hasReturn) output[kept++] = RETURN;
  return kept;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

/** After the line break that `=` has undone; -1 if there is none. */
function afterSoftBreak(bytes: Buffer, start: number): number {
  let at = start;
  while (isBlank(bytes[at])) at += 1;
  if (bytes[at] === RETURN) at += 1;
  if (bytes[at] === NEWLINE) return at + 1;
  return at >= bytes.length ? at : -1;
}

const HEX = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) HEX[digit.charCodeAt(0)] = value;
for (const [value, digit] of [...'0123456789ABCDEF'].entries()) HEX[digit.charCodeAt(0)] = value;

/** -1 if they are not two hexadecimal digits. */
export function hexPair(first = 0, second = 0): number {
  const [high, low] = [HEX[first] as number, HEX[second] as number];
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}
