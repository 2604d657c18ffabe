import { type Monster, monster } from './monster.ts';

const MIXED = 'Content-Type: multipart/mixed; boundary="b"\n\n';
const HELLO = /Hello/;

/** Parts and boundaries. */
export function structureMonsters(): Monster[] {
  return [
    monster('nested 1,000 deep', `Subject: deep\n${nested(1_000)}`),
    monster(
      'nested 1,000 deep with one boundary',
      `${MIXED}${'--b\nContent-Type: multipart/mixed; boundary="b"\n\n'.repeat(1_000)}Hello`,
    ),
    monster('messages nested 1,000 deep', `${'Content-Type: message/rfc822\n\n'.repeat(1_000)}Hello`),
    monster('alternatives nested 29 deep', nested(29, 'alternative'), HELLO),
    monster('10,000 parts', `${MIXED}${'--b\n\nHello\n'.repeat(10_000)}--b--`, HELLO),
    monster(
      '10,000 attachments',
      `${MIXED}--b\n\nHello\n${'--b\nContent-Type: a/b\n\nx\n'.repeat(10_000)}--b--`,
      HELLO,
    ),
    monster('100,000 empty parts', `${MIXED}--b\n\nHello\n${'--b\n'.repeat(100_000)}`, HELLO),
    monster('boundary of 1 MB', `Content-Type: multipart/mixed; boundary="${'b'.repeat(1e6)}"\n\nHello`, HELLO),
    monster(
      'boundary that repeats itself',
      `Content-Type: multipart/mixed; boundary="${'-'.repeat(250)}"\n\nHello\n${'-'.repeat(2e6)}`,
      HELLO,
    ),
    monster('boundary without lines', `${MIXED}Hello ${'--b'.repeat(500_000)}`, HELLO),
    monster('boundary with blanks', `${MIXED}--b\n\nHello\n--b${' '.repeat(1e6)}x`, HELLO),
    monster('no boundary at all', 'Content-Type: multipart/mixed\n\nHello', HELLO),
    monster(
      'a boundary that is not named',
      'Content-Type: multipart/mixed\n\n--x\nContent-Type: text/plain\n\nHello\n--x--',
      HELLO,
    ),
    monster('empty boundary', 'Content-Type: multipart/mixed; boundary=""\n\n--\n\nHello', HELLO),
    monster(
      'boundary within a boundary',
      `Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: multipart/mixed; boundary="bb"\n\n--bb\n\nHello\n--b\n\nBye\n--bb--\n--b--`,
      /Hello\n\nBye/,
    ),
    monster('end before the beginning', `${MIXED}--b--\n--b\n\nHello`),
    monster('no end', `${MIXED}--b\n\nHello`, HELLO),
    monster('ends within a header', `${MIXED}--b\nContent-Type: text/pl`),
    monster('ends within a boundary', `${MIXED}--b\n\nHello\n--`, HELLO),
    monster('a million dashes', `${MIXED}--b\n\nHello\n${'--\n'.repeat(300_000)}`, HELLO),
    monster('a million line breaks', `\n${'\n'.repeat(1e6)}Hello`, HELLO),
    monster(
      'many small multiparts without end',
      `${MIXED}${'--b\nContent-Type: multipart/mixed; boundary="c"\n\n--c\n\nHello\n'.repeat(2_000)}`,
      HELLO,
    ),
    monster(
      'a digest of headers',
      `Content-Type: multipart/digest; boundary=b\n\n${'--b\n\nSubject: x\n\n'.repeat(2_000)}`,
    ),
  ];
}

function nested(depth: number, subtype = 'mixed'): string {
  const opened = Array.from(
    { length: depth },
    (_, index) => `Content-Type: multipart/${subtype}; boundary="b${index}"\n\n--b${index}\n`,
  );
  const closed = Array.from({ length: depth }, (_, index) => `\n--b${depth - index - 1}--`);
  return `${opened.join('')}\nHello${closed.join('')}`;
}
