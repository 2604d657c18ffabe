import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksum } from './checksum.ts';

test('the checksums are FNV-1a, so that stores of all versions agree', () => {
  const known = ['', 'a', 'foobar'].map(checksum);

  assert.deepEqual(known, ['cbf29ce484222325', 'af63dc4c8601ec8c', '85944171f73967e8']);
});

test('every changed character changes the checksum', () => {
  const text = 'create table notes (text text not null) strict;';
  const changed = Array.from(text, (_, at) => checksum(`${text.slice(0, at)}X${text.slice(at + 1)}`));

  assert.equal(new Set([checksum(text), ...changed]).size, text.length + 1);
});
