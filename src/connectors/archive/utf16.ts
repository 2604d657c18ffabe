import { peek } from './peek.ts';

/** Bytes of a file that show its encoding. */
const GLANCE_BYTES = 1_024;
const MIN_PAIRS = 4;

/** Text in UTF-16 as UTF-8, without a byte order mark; everything else as it is. */
export async function* toUtf8(source: AsyncIterable<Buffer>, onDamage: () => void): AsyncGenerator<Buffer> {
  const { head, all } = await peek(source, GLANCE_BYTES);
  const order = utf16Order(head.subarray(0, GLANCE_BYTES));
  if (order === undefined) return yield* all;
  let [held, isFirst]: [Buffer, boolean] = [Buffer.alloc(0), true];

  function decode(bytes: Buffer): Buffer {
    const text = textOf(bytes, order);
    if (!text.isWellFormed()) onDamage();
    const isMarked = isFirst && text.startsWith('\ufeff');
    isFirst = false;
    return Buffer.from((isMarked ? text.slice(1) : text).toWellFormed());
  }

  for await (const chunk of all) {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const end = wholeCharacters(bytes, order);
    held = Buffer.from(bytes.subarray(end));
    if (end > 0) yield decode(bytes.subarray(0, end));
  }
  if (held.length % 2 === 1) onDamage();
  if (held.length > 1) yield decode(held.subarray(0, held.length & ~1));
}

type ByteOrder = 'little' | 'big';

/** A byte order mark says it; without one, a text that is mostly ASCII has a zero beside every character. */
function utf16Order(head: Buffer): ByteOrder | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'little';
  if (head[0] === 0xfe && head[1] === 0xff) return 'big';
  const pairs = head.length >> 1;
  if (pairs < MIN_PAIRS) return undefined;
  const zeros = { even: 0, odd: 0 };
  for (let at = 0; at < pairs * 2; at++) if (head[at] === 0) zeros[at % 2 === 0 ? 'even' : 'odd'] += 1;
  if (zeros.even === 0 && zeros.odd > pairs / 2) return 'little';
  return zeros.odd === 0 && zeros.even > pairs / 2 ? 'big' : undefined;
}

/** Where the last whole character ends: a high surrogate waits for the low one. */
function wholeCharacters(bytes: Buffer, order: ByteOrder | undefined): number {
  const end = bytes.length & ~1;
  const last = bytes[order === 'big' ? end - 2 : end - 1] ?? 0;
  return end >= 2 && last >= 0xd8 && last <= 0xdb ? end - 2 : end;
}

function textOf(bytes: Buffer, order: ByteOrder | undefined): string {
  return (order === 'big' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
}
