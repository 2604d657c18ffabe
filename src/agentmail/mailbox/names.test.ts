import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mailboxFileOf, nameOfMailboxFile } from './names.ts';

describe('a name', () => {
  test('is converted to a mailbox file name and back, for any name', () => {
    const names = [
      'a1',
      '1',
      '-dash',
      '.hidden',
      'a.b',
      'a:b.c',
      'two words',
      ' ',
      'é日本',
      'x'.repeat(249),
      'con',
      '*',
      '$(id)',
    ];

    const files = names.map(mailboxFileOf);

    assert.deepEqual(
      files,
      names.map((name) => `${name}.jsonl`),
    );
    assert.deepEqual(files.map(nameOfMailboxFile), names);
  });

  test('without a possible file name is refused with the reason', () => {
    const names: [string, RegExp][] = [
      ['', /: it is empty$/],
      ['team/alpha', /"team\/alpha": it contains a slash$/],
      ['x/../a2', /it contains a slash/],
      ['a\0b', /it contains a NUL character/],
      ['.', /it would name a folder/],
      ['..', /it would name a folder/],
      ['..b', /it would name a folder/],
      ['\ud800', /it is not valid Unicode/],
      ['é'.repeat(125), /it is longer than 249 bytes$/],
    ];

    for (const [name, message] of names) {
      assert.throws(() => mailboxFileOf(name), { code: 'VALIDATION_ERROR', message });
      assert.equal(nameOfMailboxFile(`${name}.jsonl`), undefined);
    }
  });
});
