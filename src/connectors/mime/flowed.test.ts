import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unflowed } from './flowed.ts';

describe('flowed text', () => {
  const texts: [text: string, deletesSpace: boolean, expected: string][] = [
    ['a line that \ngoes on \nand on.\nNext.', false, 'a line that goes on and on.\nNext.'],
    ['会 \n議', true, '会議'],
    ['> quoted \n> on\n>> deeper \n> back', false, '> quoted on\n>> deeper \n> back'],
    [' stuffed\n >not a quotation\n From x', false, 'stuffed\n>not a quotation\nFrom x'],
    ['text \n-- \nBob', false, 'text \n-- \nBob'],
    ['open ', false, 'open '],
  ];
  for (const [text, deletesSpace, expected] of texts) {
    test(`${JSON.stringify(text)} reads ${JSON.stringify(expected)}`, () => {
      assert.equal(unflowed(text, deletesSpace), expected);
    });
  }
});
