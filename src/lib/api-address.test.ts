import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiAddress } from './api-address.ts';

describe('EMAIL-02 the address of a remote Switchboard', () => {
  const addresses: Record<string, string> = {
    'http://host:3000': 'http://host:3000/mcp',
    'http://host:3000/': 'http://host:3000/mcp',
    'http://host:3000/mcp': 'http://host:3000/mcp',
    'https://host/below/': 'https://host/below/mcp',
    'https://host/below//': 'https://host/below/mcp',
    'http://host:3000/mcp/': 'http://host:3000/mcp',
    'http://host:3000/mcp/chat,email': 'http://host:3000/mcp/chat,email',
    'https://host/below/mcp/chat/': 'https://host/below/mcp/chat',
  };
  for (const [given, expected] of Object.entries(addresses)) {
    test(`${given} is ${expected}`, () => {
      assert.equal(apiAddress(given)?.url.href, expected);
    });
  }

  test('selected capabilities have their own endpoint', () => {
    assert.equal(apiAddress('http://host', ['chat', 'email'])?.url.href, 'http://host/mcp/chat,email');
  });

  test('an address that names capabilities selects them, unless others are requested', () => {
    assert.deepEqual(apiAddress('http://host/mcp/chat')?.only, ['chat']);
    assert.equal(apiAddress('http://host/mcp/chat', ['email'])?.url.href, 'http://host/mcp/email');
  });

  for (const given of ['host:3000', 'ftp://host', 'http://', 'http://user:word@host', 'http://host?a=b', '']) {
    test(`"${given}" is invalid`, () => {
      assert.equal(apiAddress(given), undefined);
    });
  }
});
