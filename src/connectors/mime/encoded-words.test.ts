import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decodeWords } from './encoded-words.ts';

describe('encoded words', () => {
  const headers: Record<string, string> = {
    'plain text': 'plain text',
    '=?utf-8?Q?Gr=C3=BC=C3=9Fe?= from =?ISO-8859-1?q?Z=FCrich?=': 'Grüße from Zürich',
    '=?UTF-8?B?8J+Yg?= =?utf-8?b?A==?=': '😀',
    '=?utf-8?Q?a_b?=\r\n =?utf-8?Q?c?=': 'a bc',
    '=?utf-8?Q?a?= b =?utf-8?Q?c?=': 'a b c',
    '=?utf-8*en-us?Q?hello?=': 'hello',
    '=?us-ascii?Q?a?==?us-ascii?Q?b?=': 'ab',
    '=?iso-2022-jp?B?GyRCMnE1RBsoQg==?=': '会議',
    '=?cp932?B?ie+LYw==?=': '会議',
    '=?koi8-r?B?8NLJ18XU?= =?utf-8?Q?!?=': 'Привет!',
    '=?utf-7?Q?+BB8EQAQ4-?=': 'При',
    '=?unknown?Q?caf=C3=A9?=': 'café',
    '=?utf-8?Q?with space?=': 'with space',
    '=?utf-8?X?abc?=': '=?utf-8?X?abc?=',
    '=?utf-8?Q?no end': '=?utf-8?Q?no end',
    '=?utf-8?Q?a=ZZ=?=': 'a=ZZ=',
    'caf\xc3\xa9': 'café',
    'caf\xe9': 'café',
    'caf\xe9 =?utf-8?Q?=C3=A9?=': 'café é',
  };
  for (const [header, text] of Object.entries(headers)) {
    test(`${JSON.stringify(header)} reads ${JSON.stringify(text)}`, () => {
      assert.equal(decodeWords(header), text);
    });
  }

  test('give the text that was encoded, wherever a program cuts it', () => {
    const cut = fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer({ min: 1, max: 12 }), fc.boolean());
    fc.assert(
      fc.property(cut, ([text, size, isQ]) => {
        const bytes = Buffer.from(text.toWellFormed());
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const words = pieces.map((piece) =>
          isQ ? `=?utf-8?Q?${q(piece)}?=` : `=?utf-8?B?${piece.toString('base64')}?=`,
        );

        assert.equal(decodeWords(words.join('\r\n ')), withoutMark(text.toWellFormed()));
      }),
    );
  });
});

function q(bytes: Buffer): string {
  return [...bytes].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
