import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { quickFlags, quickRow } from './quick-row.ts';

const CONTENT = Buffer.from('Subject: x\r\n\r\nText');

test('a row in the usual form is read', () => {
  const row = read(
    'UID 17 FLAGS (\\Seen $Label) INTERNALDATE "17-Jul-1996 02:44:25 -0700" RFC822.SIZE 4286 MODSEQ (624140003)',
  );

  assert.deepEqual(row, {
    uid: 17,
    flags: new Set(['\\Seen', '$Label']),
    internalDate: new Date('1996-07-17T09:44:25Z'),
    size: 4_286,
    source: CONTENT,
  });
});

test('items may come in any order, with the ids of servers that have them', () => {
  const row = quickRow(
    Buffer.from(
      '* 1 FETCH (BODY[]<0> {18}\r\n EMAILID (M-1) THREADID (T_1) FLAGS () INTERNALDATE " 1-Jan-2020 00:00:00 +0000" UID 5)',
    ),
    [CONTENT],
  );

  assert.deepEqual(row, {
    uid: 5,
    flags: new Set(),
    internalDate: new Date('2020-01-01T00:00:00Z'),
    emailId: 'M-1',
    threadId: 'T_1',
    source: CONTENT,
  });
});

test('whatever has another form is left to the library', () => {
  const others = [
    'UID 1 ENVELOPE ("x")',
    'UID 1 FLAGS (\\Seen',
    'UID 1 INTERNALDATE "a\\"b"',
    'UID 0',
    'FLAGS ()',
    'UID 1  FLAGS ()',
    'THREADID NIL UID 1',
    'uid 1',
  ];

  for (const items of others) assert.equal(read(items), undefined, items);
  assert.equal(quickRow(Buffer.from('* 1 FETCH (UID 1 FLAGS ())'), []), undefined);
  assert.equal(
    quickRow(Buffer.from('* 1 FETCH (UID 1 BODY[]<0> {1}\r\n BODY[1] {1}\r\n)'), [CONTENT, CONTENT]),
    undefined,
  );
  assert.equal(quickRow(Buffer.from('* 1 FETCH (UID 1 BODY[1] {18}\r\n)'), [CONTENT]), undefined);
  assert.equal(quickRow(Buffer.from('* OK [UIDNEXT 5] {18}\r\n'), [CONTENT]), undefined);
});

test('flags are read, asked for or not', () => {
  const flagsOf = (text: string) => quickFlags(Buffer.from(text));

  assert.deepEqual(flagsOf('* 3 FETCH (UID 17 FLAGS (\\Seen $Label) MODSEQ (9))'), {
    uid: 17,
    flags: new Set(['\\Seen', '$Label']),
  });
  assert.deepEqual(flagsOf('* 3 FETCH (FLAGS ())'), { uid: 0, flags: new Set() });
  for (const other of ['* 3 FETCH (UID 17)', '* 3 EXISTS', '* VANISHED (EARLIER) 1:9', '+ idling', '7 OK done']) {
    assert.equal(flagsOf(other), undefined, other);
  }
  assert.equal(flagsOf('* 3 FETCH (UID 1 FLAGS () BODY[]<0> {18}'), undefined);
});

test('flags are read in any order of the items', () => {
  const name = fc.stringMatching(/^[\\$]?[A-Za-z]{1,9}$/);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4_294_967_295 }), fc.uniqueArray(name), fc.nat(), (uid, flags, modseq) => {
      const items = [`UID ${uid}`, `FLAGS (${flags.join(' ')})`, `MODSEQ (${modseq})`];
      const rows = [items, items.slice(0, 2), items.toReversed()].map((some) => `* 7 FETCH (${some.join(' ')})`);

      for (const row of rows) assert.deepEqual(quickFlags(Buffer.from(row)), { uid, flags: new Set(flags) }, row);
    }),
  );
});

test('no bytes make it fail', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '* 1 FETCH (',
      'UID 1',
      ' ',
      'FLAGS (',
      ')',
      'BODY[]<0> {18}\r\n',
      '"',
      'RFC822.SIZE 9',
      'MODSEQ (1)',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const row = quickRow(Buffer.from(pieces.join('')), [CONTENT]);

      assert.ok(row === undefined || (row.uid > 0 && row.source === CONTENT));
    }),
  );
});

function read(items: string) {
  return quickRow(Buffer.from(`* 3 FETCH (${items} BODY[]<0> {18}\r\n)`), [CONTENT]);
}
