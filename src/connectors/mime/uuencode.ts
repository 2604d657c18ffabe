const [NEWLINE, SPACE] = [0x0a, 0x20];
const BEGIN = Buffer.from('begin ');
const END = Buffer.from('end');

/** Lines from `begin` to `end`; each begins with a character for its length. */
export function decodeUuencode(bytes: Buffer): Buffer {
  const output = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  forEachLine(bytes, (start, end) => {
    const wanted = length + lengthOf(bytes, start);
    for (let at = start + 1; length < wanted && at < end; at += 4) {
      const [a, b, c, d] = [bits(bytes, at), bits(bytes, at + 1), bits(bytes, at + 2), bits(bytes, at + 3)];
      output[length++] = (a << 2) | (b >> 4);
      if (length < wanted) output[length++] = (b << 4) | (c >> 2);
      if (length < wanted) output[length++] = (c << 6) | d;
    }
  });
  return output.subarray(0, length);
}

/** The size of the content, without decoding it. */
export function uuencodedSize(bytes: Buffer): number {
  let size = 0;
  forEachLine(bytes, (start, end) => {
    size += Math.min(lengthOf(bytes, start), Math.ceil(((end - start - 1) * 3) / 4));
  });
  return size;
}

function forEachLine(bytes: Buffer, take: (start: number, end: number) => void): void {
  const begin = bytes.indexOf(BEGIN);
  let start = begin === -1 ? 0 : afterLine(bytes, begin);
  while (start < bytes.length && !bytes.subarray(start, start + END.length).equals(END)) {
    const next = afterLine(bytes, start);
    let end = next;
    while (end > start && (bytes[end - 1] as number) < SPACE) end -= 1;
    if (end > start) take(start, end);
    start = next;
  }
}

function afterLine(bytes: Buffer, start: number): number {
  const newline = bytes.indexOf(NEWLINE, start);
  return newline === -1 ? bytes.length : newline + 1;
}

function lengthOf(bytes: Buffer, at: number): number {
  return bits(bytes, at);
}

/** Spaces at the end of a line may be missing. */
function bits(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? SPACE;
  return byte < SPACE ? 0 : (byte - SPACE) & 63;
}
