import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkSignature } from './webhook.ts';

const BODY = Buffer.from('{"chat":"ops","sender":"ci","text":"hello"}');
const SECRET = 'a secret';

describe('the signature of a webhook', () => {
  test('is the HMAC of the body, with or without the name of the hash', () => {
    const signature = createHmac('sha256', SECRET).update(BODY).digest('hex');

    checkSignature(signedWith(signature), SECRET);
    checkSignature(signedWith(`sha256=${signature.toUpperCase()}`), SECRET);
  });

  test('of another body or by another secret is refused, and so is none', () => {
    const wrong = [
      createHmac('sha256', 'another').update(BODY).digest('hex'),
      createHmac('sha256', SECRET).update('another body').digest('hex'),
      createHmac('sha256', SECRET).update(BODY).digest('hex').slice(0, 62),
      '',
      undefined,
    ];

    for (const signature of wrong) {
      assert.throws(() => checkSignature(signedWith(signature), SECRET), { code: 'UNAUTHENTICATED' });
    }
  });

  test('with anything after it is refused', () => {
    const signature = createHmac('sha256', SECRET).update(BODY).digest('hex');

    for (const more of ['zz', ', another', '00']) {
      assert.throws(() => checkSignature(signedWith(`${signature}${more}`), SECRET), { code: 'UNAUTHENTICATED' });
    }
  });

  test('with an empty secret, which everybody knows, is refused', () => {
    const signature = createHmac('sha256', '').update(BODY).digest('hex');

    assert.throws(() => checkSignature(signedWith(signature), ''), { code: 'UNAUTHENTICATED' });
  });

  test('that is nonsense is refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (nonsense) => {
        assert.throws(() => checkSignature(signedWith(nonsense), SECRET), { code: 'UNAUTHENTICATED' });
      }),
    );
  });
});

function signedWith(signature: string | undefined) {
  return { body: BODY, header: (name: string) => (name === 'x-switchboard-signature' ? signature : undefined) };
}
