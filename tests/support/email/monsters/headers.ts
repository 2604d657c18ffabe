import { type Monster, monster } from './monster.ts';

const HELLO = /Hello/;
const BODY = '\n\nHello';

/** Headers and what is in them. */
export function headerMonsters(): Monster[] {
  return [
    monster('nothing', ''),
    monster('a NUL', '\0'),
    monster('only line breaks', '\r\n\r\n\r\n', /^$/),
    monster('100,000 headers', `${'X-Header: value\n'.repeat(100_000)}Subject: x${BODY}`, HELLO),
    monster(
      '100,000 recipients in headers of their own',
      `${'To: a@b.test\n'.repeat(100_000)}Subject: x${BODY}`,
      HELLO,
    ),
    monster('100,000 lines that are no headers', `Subject: x\n${'nothing\n'.repeat(100_000)}\n\nHello`, HELLO),
    monster('header line of 10 MB', `X-Long: ${'x'.repeat(10e6)}\nSubject: x${BODY}`, HELLO),
    monster('header of 10 MB in folded lines', `X-Long: ${'x\n '.repeat(3_300_000)}\nSubject: x${BODY}`, HELLO),
    monster('subject of 1 MB', `Subject: ${'x'.repeat(1e6)}${BODY}`, HELLO),
    monster('only a header line of 1 MB', `Subject: ${'x'.repeat(1e6)}`),
    monster('name of a header of 1 MB', `${'x'.repeat(1e6)}: x${BODY}`, HELLO),
    monster('100,000 colons', `${':\n'.repeat(100_000)}${BODY}`, HELLO),
    monster('address list of 100,000', `To: ${'Alice <alice@example.test>, '.repeat(100_000)}${BODY}`, HELLO),
    monster('address list of 100,000 commas', `To: ${','.repeat(100_000)}${BODY}`, HELLO),
    monster('comments nested 100,000 deep', `To: ${'('.repeat(50_000)}${')'.repeat(50_000)} a@b.test${BODY}`, HELLO),
    monster('comments without end', `From: a@b.test ${'(()'.repeat(40_000)}${BODY}`, HELLO),
    monster('quotes without end', `From: ${'"\\"'.repeat(40_000)}${BODY}`, HELLO),
    monster('brackets without end', `From: ${'<'.repeat(100_000)}${BODY}`, HELLO),
    monster('100,000 colons after an address', `From: a@b${':'.repeat(100_000)}${BODY}`, HELLO),
    monster('an address of 100,000 letters', `From: ${'a'.repeat(100_000)}${BODY}`, HELLO),
    monster('encoded words without end', `Subject: ${'=?utf-8?Q?'.repeat(10_000)}${BODY}`, HELLO),
    monster('encoded words of one letter', `Subject: ${'=?utf-8?Q?a?= '.repeat(9_000)}${BODY}`, HELLO),
    monster(
      'encoded words in changing character sets',
      `Subject: ${'=?utf-8?Q?a?= =?koi8-r?Q?a?= '.repeat(4_000)}${BODY}`,
      HELLO,
    ),
    monster('question marks', `Subject: ${'=?'.repeat(60_000)}${BODY}`, HELLO),
    monster('10,000 references', `References: ${'<a@b.test> '.repeat(10_000)}${BODY}`, HELLO),
    monster('references without end', `References: ${'<'.repeat(100_000)}${BODY}`, HELLO),
    monster('continuations without end', `Content-Type: text/plain; ${continuations(5_000)}${BODY}`, HELLO),
    monster(
      'continuations with huge numbers',
      `Content-Type: text/plain; name*999999999999*=x; name*-1=y; name*0**=z${BODY}`,
      HELLO,
    ),
    monster('parameters without end', `Content-Type: text/plain; ${'a="'.repeat(6_000)}${BODY}`, HELLO),
    monster('a million semicolons', `Content-Type: text/plain${';'.repeat(1e6)}${BODY}`, HELLO),
    monster('results in 10,000 comments', `Authentication-Results: x; ${'(('.repeat(10_000)}spf=pass${BODY}`, HELLO),
    monster('dates that go on', `Date: ${'Mon, '.repeat(20_000)}${BODY}`, HELLO),
    monster(
      'controls in everything',
      `Subject: a\x07\x1b[31mb\x00c\x7f\nFrom: \x1b]0;x\x07 <a\x00@b.test>\nTo: a\rb@c.test${BODY}`,
      HELLO,
    ),
    monster(
      'injected headers in an encoded word',
      `Subject: =?utf-8?Q?x=0D=0ABcc:_evil@x.test?=\nFrom: =?utf-8?Q?a=0D=0AX:_y?= <a@b.test>${BODY}`,
      HELLO,
    ),
    monster('carriage returns alone', 'Subject: x\rFrom: a@b.test\r\rHello', /^$|Hello/),
  ];
}

function continuations(count: number): string {
  return Array.from({ length: count }, (_, index) => `name*${index}*=%41`).join('; ');
}
