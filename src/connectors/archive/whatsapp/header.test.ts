import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseHeader } from './header.ts';

describe('WhatsApp message headers', () => {
  for (const [line, date, time, words] of [
    ['[13.6.2024 klo 15.04.05] A: x', '13 6 2024', '15:4:5', ['klo']],
    ['\u200e[13/06/2024, 15:04:05] A: x', '13 06 2024', '15:4:5', []],
    ['[6/13/24, 3:04:05\u202fPM] A: x', '6 13 24', '3:4:5', ['pm']],
    ['[2024. 6. 13. 오후 3:04:05] A: x', '2024 6 13', '3:4:5', ['오후']],
    ['[24/6/13 (15:05)] A: x', '24 6 13', '15:5:0', []],
    ['6/13/24, 3:04 PM - A: x', '6 13 24', '3:4:0', ['pm']],
    ['13/6/24, 3:04 p. m. - A: x', '13 6 24', '3:4:0', ['pm']],
    ['13.06.24, 15:04 - A: x', '13 06 24', '15:4:0', []],
    ['13-06-2024 15:04 - A: x', '13 06 2024', '15:4:0', []],
    ['2024-06-13 15 h 04 - A: x', '2024 06 13', '15:4:0', []],
    ['2024. 06. 13. 15:04 - A: x', '2024 06 13', '15:4:0', []],
    ['13/06/2024 à 15:04 - A: x', '13 06 2024', '15:4:0', ['à']],
    ['13.06.24 г., 15:04 ч. - A: x', '13 06 24', '15:4:0', ['г', 'ч']],
    ['2024/6/13 下午3:04 - A: x', '2024 6 13', '3:4:0', ['下午']],
    ['2024年6月13日 午後3:04 - A: x', '2024 6 13', '3:4:0', ['午後']],
    ['2024년 6월 13일 오후 3:04 - A: x', '2024 6 13', '3:4:0', ['오후']],
    [
      '\u0661\u0663\u200f/\u0666\u200f/\u0662\u0660\u0662\u0664\u060c \u0663:\u0660\u0664 \u0645 - A: x',
      '13 6 2024',
      '3:4:0',
      ['م'],
    ],
    ['۱۴۰۳/۳/۲۴،\u200f ۱۵:۰۴ - A: x', '1403 3 24', '15:4:0', []],
    ['१३/६/२४, ३:०४ अपराह्न - A: x', '13 6 24', '3:4:0', ['अपराह्न']],
    ['15:04, 13/06/2024 - A: x', '13 06 2024', '15:4:0', []],
  ] as const) {
    test(line, () => {
      const header = parseHeader(line);

      assert(header);
      assert.equal(header.date.join(' '), date);
      assert.equal(`${header.hour}:${header.minute}:${header.second}`, time);
      assert.deepEqual(header.words, words);
      assert.equal(header.rest, 'A: x');
    });
  }

  for (const line of [
    'just words',
    '',
    '[not a date] A: x',
    '3 - 4 = -1',
    'see you at 15:04 - ok?',
    '13.6.2024 is a date - but no time',
    '[13.6.2024 klo 25.04.05] A: x',
    '[13.6.2024 klo 15.61.05] A: x',
    `${'9'.repeat(100)} - A: x`,
  ]) {
    test(`no header: ${line.slice(0, 40)}`, () => {
      assert.equal(parseHeader(line), undefined);
    });
  }

  test('all headers of one export have one shape, for any numbers and any words for a.m. and p.m.', () => {
    const shapes = ['6/3/24, 3:04 AM - A: x', '12/13/24, 12:59 PM - B: y'].map((line) => parseHeader(line)?.shape);

    assert.equal(shapes[0], shapes[1]);
    assert.notEqual(parseHeader('6/13/2024, 3:04 AM - A: x')?.shape, shapes[0]);
  });

  test('any text is parsed without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('', '[', '1/2/24, ', '[1.2.2024 '), (text, before) => {
        assert.doesNotThrow(() => parseHeader(before + text));
      }),
    );
  });
});
