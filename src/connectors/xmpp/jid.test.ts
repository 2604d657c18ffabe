import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bareJid, normalJid, parseJid, resourceOf } from './jid.ts';

describe('an address', () => {
  test('is split at the first slash and the first at sign', () => {
    assert.deepEqual(parseJid('Bob@Example.ORG/Home/@1'), { local: 'bob', domain: 'example.org', resource: 'Home/@1' });
    assert.deepEqual(parseJid('example.org'), { local: '', domain: 'example.org', resource: '' });
    assert.deepEqual(parseJid(''), { local: '', domain: '', resource: '' });
  });

  test('is compared without regard to case, except for the resource', () => {
    assert.equal(bareJid('Bob@Example/X'), 'bob@example');
    assert.equal(normalJid('Bob@Example/X'), 'bob@example/X');
    assert.equal(normalJid('Example'), 'example');
    assert.equal(resourceOf('Bob@Example/X'), 'X');
  });
});
