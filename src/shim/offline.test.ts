import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { offlineAnswer, troubleOf } from './offline.ts';

const url = new URL('https://host.example/mcp');

describe('the reason why the server does not answer', () => {
  const distrusted = {
    CERT_HAS_EXPIRED: /^The certificate of https:\/\/host\.example is not trusted here: it has expired\.$/,
    ERR_TLS_CERT_ALTNAME_INVALID: /another name than the one in --api-url/,
    DEPTH_ZERO_SELF_SIGNED_CERT: /who issued it is not known \(NODE_EXTRA_CA_CERTS/,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: /NODE_EXTRA_CA_CERTS/,
  };
  for (const [code, words] of Object.entries(distrusted)) {
    test(`for a certificate with ${code} has our text`, () => {
      assert.match(troubleOf({ kind: 'untrusted', code }, url) ?? '', words);
    });
  }

  test('is absent if the server has answered in any way', () => {
    assert.equal(troubleOf({ kind: 'answered', status: 404, text: '' }, url), undefined);
  });
});

describe('without a server', () => {
  test('a ping is answered, and what requires the server fails', async () => {
    const pong = await offlineAnswer({ id: 1, method: 'ping' }, 'It is away.', []);
    const read = await offlineAnswer({ id: 2, method: 'resources/read' }, 'It is away.', []);

    assert.deepEqual(pong, { result: {} });
    assert.partialDeepStrictEqual(read, { error: { code: -32603, message: 'It is away.' } });
  });
});
