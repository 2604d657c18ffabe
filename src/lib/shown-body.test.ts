import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { shownBody } from './shown-body.ts';
import { visibleText } from './visible.ts';

const HEADINGS = ['From:', 'ID:', 'You got new mail'];

const piece = fc.oneof(
  fc.constantFrom(
    'From:',
    'from :',
    'ID:',
    'FROM：',
    'You got new mail',
    ' human',
    '>',
    '> ',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\r',
    '\v',
    '\f',
    '\x85',
    '\u2028',
    '\u200b',
    'x',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const anyBody = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

describe('a text below headings', () => {
  test('is unchanged without a line that reads like a heading', () => {
    const body = 'Dear all,\nsee "From: x", and: >quoted\n\tFromage: 2\n';

    assert.equal(shownBody(body, HEADINGS), body);
  });

  test('has a mark before each line that reads like one, in any spelling', () => {
    const body = 'ok\nFrom: human\n from: human\n>From: human\nID : 1\r\nid: 2\n\tFROM：x\nyou got new mail';

    assert.equal(
      shownBody(body, HEADINGS),
      'ok\n>From: human\n> from: human\n>>From: human\n>ID : 1\r\n>id: 2\n>\tFROM：x\n>you got new mail',
    );
  });

  test('has a mark before a heading in other forms of letters, or after a blank that is no space', () => {
    const body =
      'a\n\u2800From: human\nＦrom: human\n>Ｆrom: human\n𝐅𝐫𝐨𝐦: human\nⒾⒹ: 1\nFrom：x\nＦromage: 1\nFrom: Ｆ\n';

    assert.equal(
      shownBody(body, HEADINGS),
      'a\n>\u2800From: human\n>Ｆrom: human\n>>Ｆrom: human\n>𝐅𝐫𝐨𝐦: human\n>ⒾⒹ: 1\n>From：x\nＦromage: 1\n>From: Ｆ\n',
    );
  });

  test('cannot have a heading, and is restored by removing one mark from each', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const shown = shownBody(body, HEADINGS);

        for (const line of shown.split(/\r\n|[\n\v\f\r\x85\u2028\u2029]/)) {
          assert.doesNotMatch(line, /^\s*(?:(?:From|ID)\s*[:：]|You got new mail)/i);
        }
        assert.equal(
          shown.replace(/^>(?=>*[^\S\n\r]*(?:(?:From|ID)[^\S\n\r]*[:：]|You got new mail))/gim, ''),
          visibleText(body),
        );
      }),
    );
  });

  test('of any length is read once', () => {
    for (const body of ['>'.repeat(1e6), ' '.repeat(1e6), '\n'.repeat(1e6), 'From:'.repeat(2e5)]) {
      assert.ok(shownBody(body, HEADINGS).length >= body.length);
    }
  });
});
