import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { statelessHeaders } from './stateless-headers.ts';

const nameFor = (name: string) =>
  statelessHeaders({ method: 'tools/call', params: { name } }, '2026-07-28')['mcp-name'] ?? '';

describe('EMAIL-02 the content of a request is repeated in its headers', () => {
  test('the version, the method, and the name or URI', () => {
    const headers = statelessHeaders({ method: 'resources/read', params: { uri: 'switchboard://status' } }, 'V');

    assert.deepEqual(headers, {
      'mcp-protocol-version': 'V',
      'mcp-method': 'resources/read',
      'mcp-name': 'switchboard://status',
    });
  });

  test('a request of another method has no name, even if it has such a parameter', () => {
    const headers = statelessHeaders({ method: 'tools/list', params: { name: 'x' } }, 'V');

    assert.deepEqual(headers, { 'mcp-protocol-version': 'V', 'mcp-method': 'tools/list' });
  });

  for (const name of ['größe', 'a\nb', ' a', 'a ', '', '=?base64?YQ==?=', '\u{1f600}']) {
    test(`${JSON.stringify(name)} is encoded as base64`, () => {
      const [, encoded = ''] = /^=\?base64\?(.*)\?=$/.exec(nameFor(name)) ?? [];

      assert.equal(Buffer.from(encoded, 'base64').toString('utf8'), name);
      assert.notEqual(nameFor(name), name);
    });
  }

  test('plain text is not encoded', () => {
    assert.equal(nameFor('send message'), 'send message');
  });
});
