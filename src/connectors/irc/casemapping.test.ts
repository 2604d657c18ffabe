import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldingOf } from './casemapping.ts';

test('names are compared as the server does', () => {
  assert.equal(foldingOf('ascii')('#Team[A]~^ÄÖ'), '#team[a]~^ÄÖ');
  assert.equal(foldingOf('strict-rfc1459')('Nick[\\]^'), 'nick{|}^');
  assert.equal(foldingOf('rfc1459')('Nick[\\]^'), 'nick{|}~');
  assert.equal(foldingOf(undefined)('Nick[]'), 'nick{}');
  assert.equal(foldingOf('precis')('#ÄITI'), '#äiti');
  assert.equal(foldingOf('ascii', 'rfc8265')('#A\u0308ITI'), '#äiti');
});
