import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { offlineAnswer, troubleOf } from './offline.ts';

const url = new URL('https://host.example/mcp');

describe('why an answer does not come from the server', () => {
  const distrusted = {
    CERT_HAS_EXPIRED: /^The certificate of https:\/\/host\.example is not trusted here: it has expired\.$/,
    ERR_TLS_CERT_ALTNAME_INVALID: /another name than the one in --api-url/,
    DEPTH_ZERO_SELF_SIGNED_CERT: /who issued it is not known \(NODE_EXTRA_CA_CERTS/,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: /NODE_EXTRA_CA_CERTS/,
  };
  for (const [code, words] of Object.entries(distrusted)) {
    test(`a certificate with ${code} is told in our words`, () => {
      assert.match(troubleOf({ kind: 'untrusted', code }, url) ?? '', words);
    });
  }

  test('there is none where the server has answered, whatever it said', () => {
    assert.equal(troubleOf({ kind: 'answered', status: 404, text: '' }, url), undefined);
  });
});

describe('without a server', () => {
  test('a ping is answered, and what only the server knows fails', async () => {
    const pong = await offlineAnswer({ id: 1, method: 'ping' }, 'It is away.', []);
    const read = await offlineAnswer({ id: 2, method: 'resources/read' }, 'It is away.', []);

    assert.deepEqual(pong, { result: {} });
    assert.partialDeepStrictEqual(read, { error: { code: -32603, message: 'It is away.' } });
  });
});
