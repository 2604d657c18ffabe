import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { serverIdOf } from './server-id.ts';

describe('the id of a server', () => {
  test('is its name in small letters, digits and dashes', () => {
    assert.equal(serverIdOf('My GitHub'), 'my-github');
    assert.equal(serverIdOf('  Éléphant (v2)  '), 'elephant-v2');
    assert.equal(serverIdOf('io.github.user/server'), 'io-github-user-server');
  });

  test('of names without Latin letters is a number of its own', () => {
    assert.match(serverIdOf('日本'), /^server-[0-9a-f]{8}$/);
    assert.notEqual(serverIdOf('日本'), serverIdOf('中国'));
  });

  test('of every name fits the names of tools, and is the same again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const id = serverIdOf(name);

        assert.match(id, /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/);
        assert.equal(serverIdOf(id), id);
      }),
    );
  });
});
