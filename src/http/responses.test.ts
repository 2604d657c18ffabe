import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fakeResponse } from '../../tests/support/http/fake-response.ts';
import { AppError, ERROR_CODES } from '../domain/errors.ts';
import { challenge, sendError, sendJson } from './responses.ts';

describe('an answer', () => {
  test('is JSON with its length', () => {
    const { response, sent, text } = fakeResponse();

    sendJson(response, 201, { text: 'žluť' });

    assert.deepEqual(sent, {
      status: 201,
      headers: {
        'content-type': 'application/json',
        'content-length': 17,
      },
    });
    assert.deepEqual(JSON.parse(text()), { text: 'žluť' });
  });

  test('is sent once, and not to a client that has disconnected', () => {
    const answered = fakeResponse();
    const gone = fakeResponse();
    gone.response.destroy();

    sendJson(answered.response, 200, { a: 1 });
    sendJson(answered.response, 500, { a: 2 });
    sendJson(gone.response, 200, { a: 1 });

    assert.equal(answered.sent.status, 200);
    assert.equal(gone.sent.status, 0);
  });
});

describe('an error', () => {
  for (const code of ERROR_CODES) {
    test(`${code} has its own status, and a Retry-After where that helps`, () => {
      const { response, sent, text } = fakeResponse();

      sendError(response, new AppError(code, 'words', { field: 'f', hint: 'h', cause: 'SECRET' }));

      assert.ok(sent.status >= 400 && sent.status < 600);
      assert.equal(sent.status === 500, code === 'INTERNAL');
      assert.equal('retry-after' in sent.headers, sent.status === 429 || sent.status === 503);
      assert.deepEqual(JSON.parse(text()), { error: { code, message: 'words', field: 'f', hint: 'h' } });
    });
  }
});

test('CHAT-27 without a token states how to send one, and nothing about the existing ones', () => {
  const missing = fakeResponse();
  const unknown = fakeResponse();

  challenge(missing.response, 'missing');
  challenge(unknown.response, 'unknown');

  assert.deepEqual([missing.sent.status, unknown.sent.status], [401, 401]);
  assert.equal(missing.sent.headers['www-authenticate'], 'Bearer realm="switchboard"');
  assert.equal(unknown.sent.headers['www-authenticate'], 'Bearer realm="switchboard", error="invalid_token"');
  assert.equal(JSON.parse(missing.text()).error.code, 'UNAUTHENTICATED');
});
