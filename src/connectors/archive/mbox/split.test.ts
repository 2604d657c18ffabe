import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createSplitter, type RawLetter } from './split.ts';

function split(
  mbox: string | Buffer,
  { chunk = 7, largest = 10_000 } = {},
): { letters: RawLetter[]; preamble: number } {
  const bytes = Buffer.from(mbox);
  const splitter = createSplitter(largest);
  const letters: RawLetter[] = [];
  for (let start = 0; start < bytes.length; start += chunk)
    letters.push(...splitter.push(bytes.subarray(start, start + chunk)));
  letters.push(...splitter.end());
  return { letters, preamble: splitter.preamble() };
}

function texts(letters: readonly RawLetter[]): string[] {
  return letters.map(({ bytes }) => Buffer.from(bytes).toString());
}

const DATE = 'Thu Jun 13 12:34:56 2024';

describe('splitting an mbox', () => {
  test('returns its emails, with LF or CRLF line ends', () => {
    for (const end of ['\n', '\r\n']) {
      const mbox = [
        `From a@x.test ${DATE}`,
        'Subject: 1',
        '',
        'one',
        '',
        `From - ${DATE}`,
        'Subject: 2',
        '',
        'two',
        '',
      ].join(end);

      const { letters, preamble } = split(mbox);

      assert.deepEqual(texts(letters), [
        ['Subject: 1', '', 'one', '', ''].join(end),
        ['Subject: 2', '', 'two', ''].join(end),
      ]);
      assert.deepEqual(
        letters.map(({ number, envelope }) => [number, envelope]),
        [
          [1, `a@x.test ${DATE}`],
          [2, `- ${DATE}`],
        ],
      );
      assert.equal(preamble, 0);
    }
  });

  test('removes one > from quoted lines, in mboxrd and in mboxo', () => {
    const mbox = `From a ${DATE}\nSubject: 1\n\n>From here\n>>From there\n>>>From\n>Frommage\n> From\n`;

    const { letters } = split(mbox);

    assert.deepEqual(texts(letters), ['Subject: 1\n\nFrom here\n>From there\n>>>From\n>Frommage\n> From\n']);
  });

  test('does not split at text that only looks like a From line', () => {
    const bodies = [
      `From now on\nwe meet`,
      `From: me\nSubject: x`,
      `text\nFrom a ${DATE}\nSubject: forged`,
      `\nFrom a ${DATE}\nno field follows`,
      `\nFrom Monday on\nNote: bring food`,
      `\nFrom a ${DATE}`,
    ];

    for (const body of bodies) {
      const { letters } = split(`From a ${DATE}\nSubject: 1\n\n${body}\n`);
      assert.deepEqual(texts(letters), [`Subject: 1\n\n${body}\n`]);
    }
  });

  test('starts an email after a line that only looks empty', () => {
    for (const blank of ['', ' ', '\t \t', '\r', ' \r', '\r\r', '\f']) {
      const { letters } = split(`From a ${DATE}\nSubject: 1\n\none\n${blank}\nFrom a ${DATE}\nSubject: 2\n\ntwo\n`);

      assert.deepEqual(
        letters.map(({ line }) => line),
        [1, 6],
        JSON.stringify(blank),
      );
    }
  });

  test('reads the lines of mailing list archives, and leaves text with a time and a year alone', () => {
    const heading = 'From ada at example.test  Mon Jun  4 10:00:00 2007';
    const bodies = [
      'From someone at example.org  wrote this at 12:30 in 2007\nNote: text',
      'From Monday, 9:00 to Friday, 12:00 of week 2007\nAgenda: lunch',
    ];

    const { letters } = split(
      `${heading}\nSubject: 1\n\none\n\n${bodies.join('\n\n')}\n\n${heading}\nFrom: ada at example.test\n\ntwo\n`,
    );

    assert.equal(letters.length, 2);
    assert.match(texts(letters)[0] ?? '', /Agenda: lunch/);
  });

  test('accepts a line with another date before a header that every program writes', () => {
    const { letters } = split(
      `From a ${DATE}\nSubject: 1\n\none\n\nFrom b 99 Foo 2024 12:34:56 2024\nReceived: x\n\ntwo\n`,
    );

    assert.equal(letters.length, 2);
  });

  test('accepts From lines without a date, or with other date formats', () => {
    const headings = [
      'nobody',
      'a@x Thu Jun 13 12:34:56 +0000 2024',
      'a@x Thu Jun 13 12:34 2024',
      'a 2024-06-13T12:34:56',
    ];

    for (const heading of headings) {
      const { letters } = split(`From ${heading}\nSubject: 1\n\none\n\nFrom ${heading}\nSubject: 2\n\ntwo\n`);
      assert.equal(letters.length, 2);
    }
  });

  test('accepts a byte order mark, empty lines or a single email at the beginning; other lines there are counted', () => {
    const [marked, empty, single, other, none] = [
      split(`\ufeffFrom a ${DATE}\nSubject: 1\n\none\n`, { chunk: 1_000 }),
      split(`\n\nFrom a ${DATE}\nSubject: 1\n\none\n`),
      split('Received: x\nSubject: 1\n\none\n'),
      split(`hello\nworld\n\nFrom a ${DATE}\nSubject: 1\n\none\n`),
      split('hello\nworld'),
    ];

    assert.deepEqual(
      [marked, empty, single, other, none].map(({ letters, preamble }) => [letters.length, preamble]),
      [
        [1, 0],
        [1, 0],
        [1, 0],
        [1, 2],
        [0, 2],
      ],
    );
  });

  test('truncates an email at the size limit, and accepts lines of any length', () => {
    const long = 'x'.repeat(1_000_000);
    const mbox = `From a ${DATE}\nSubject: 1\n\n${long}\n\nFrom b ${DATE}\nSubject: 2\n\ntwo\n`;

    const [whole, cut] = [
      split(mbox, { chunk: 65_536, largest: 2_000_000 }),
      split(mbox, { chunk: 65_536, largest: 50 }),
    ];

    assert.equal(texts(whole.letters)[0], `Subject: 1\n\n${long}\n\n`);
    assert.deepEqual(texts(cut.letters), [`Subject: 1\n\n${long}`.slice(0, 50), 'Subject: 2\n\ntwo\n']);
    assert.deepEqual(
      cut.letters.map(({ isCut }) => isCut),
      [true, false],
    );
  });

  test('returns every email unchanged for any chunk size', () => {
    const line = fc.oneof(
      fc.constantFrom('', 'From me', `From a ${DATE}`, '>From x', '>>From', 'Subject: x'),
      fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, ' ')),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(line, { maxLength: 6 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 60 }),
        (bodies, chunk) => {
          const written = bodies.map((lines) => `Subject: x\n\n${lines.map((each) => `${each}\n`).join('')}`);
          const mbox = written
            .map((letter) => `From a ${DATE}\n${letter.replaceAll(/^(>*From )/gm, '>$1')}\n`)
            .join('');

          const { letters } = split(mbox, { chunk });

          assert.deepEqual(
            texts(letters),
            written.map((letter) => `${letter}\n`),
          );
        },
      ),
    );
  });
});
