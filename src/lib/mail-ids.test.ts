import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { mailIdsIn } from './mail-ids.ts';

describe('the ids in a header', () => {
  const headers: Record<string, string[]> = {
    '<a@example.test>': ['a@example.test'],
    '<a@x> (comment <b@y>)\r\n\t< c@z >': ['a@x', 'b@y', 'c@z'],
    "Alice's message of Monday <a@x>": ['a@x'],
    'a@x, b@y': ['a@x', 'b@y'],
    '<no end': [],
    '': [],
  };
  for (const [header, ids] of Object.entries(headers)) {
    test(`${JSON.stringify(header)} are ${JSON.stringify(ids)}`, () => {
      assert.deepEqual(mailIdsIn(header), ids);
    });
  }

  test('are the first one and the last ones of many, and none that is too long', () => {
    const many = Array.from({ length: 50_000 }, (_, index) => `<${index}@x>`).join(' ');

    const ids = mailIdsIn(`${many} <${'x'.repeat(251)}>`);

    assert.equal(ids.length, 200);
    assert.equal(ids[0], '0@x');
    assert.equal(ids.at(-1), '49999@x');
  });

  test('are never cut, whatever the header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (header) => {
        for (const id of mailIdsIn(header)) assert.ok(header.includes(id));
      }),
    );
  });
});
