import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkSignature } from './webhook.ts';

const BODY = Buffer.from('{"chat":"ops","sender":"ci","text":"hello"}');
const SECRET = 'a secret';
const NOW = Date.parse('2026-11-16T08:00:00Z');

describe('the signature of a webhook', () => {
  test('is the HMAC of the body, with or without the name of the hash', () => {
    const signature = createHmac('sha256', SECRET).update(BODY).digest('hex');

    checkSignature(signedWith(signature), SECRET, NOW);
    checkSignature(signedWith(`sha256=${signature.toUpperCase()}`), SECRET, NOW);
  });

  test('of another body or with another secret is refused, and so is a missing one', () => {
    const wrong = [
      createHmac('sha256', 'another').update(BODY).digest('hex'),
      createHmac('sha256', SECRET).update('another body').digest('hex'),
      createHmac('sha256', SECRET).update(BODY).digest('hex').slice(0, 62),
      '',
      undefined,
    ];

    for (const signature of wrong) {
      assert.throws(() => checkSignature(signedWith(signature), SECRET, NOW), { code: 'UNAUTHENTICATED' });
    }
  });

  test('with anything after it is refused', () => {
    const signature = createHmac('sha256', SECRET).update(BODY).digest('hex');

    for (const more of ['zz', ', another', '00']) {
      assert.throws(() => checkSignature(signedWith(`${signature}${more}`), SECRET, NOW), { code: 'UNAUTHENTICATED' });
    }
  });

  test('with an empty secret is refused', () => {
    const signature = createHmac('sha256', '').update(BODY).digest('hex');

    assert.throws(() => checkSignature(signedWith(signature), '', NOW), { code: 'UNAUTHENTICATED' });
  });

  test('that is malformed is refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (nonsense) => {
        assert.throws(() => checkSignature(signedWith(nonsense), SECRET, NOW), { code: 'UNAUTHENTICATED' });
      }),
    );
  });
});

describe('a signature that covers the id and the timestamp of a request', () => {
  test('matches the example of Standard Webhooks', () => {
    // From the examples of https://github.com/standard-webhooks/standard-webhooks.
    const signed = {
      body: Buffer.from('{"test": 2432232314}'),
      header: headers({
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      }),
    };

    const { post } = checkSignature(signed, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 1_614_265_330_000);

    assert.equal(post, 'msg_p5jXN8AQM9LWM0D4loKWxJek');
  });

  test('can be one of several, and made with a secret of any text', () => {
    const { body, header } = standard();
    const other = `v1a,xyz v1,${'A'.repeat(43)}= ${header('webhook-signature')}`;
    const both = {
      body,
      header: (name: string) => (name === 'webhook-signature' ? other : header(name)),
    };

    assert.deepEqual(checkSignature(both, SECRET, NOW), { post: 'p1' });
  });

  test('is refused for another id, timestamp or body, or if it is older than a few minutes', () => {
    const { body, header } = standard();
    const instead = (name: string, value: string | undefined) => ({
      body,
      header: (asked: string) => (asked === name ? value : header(asked)),
    });

    for (const wrong of [
      instead('webhook-id', 'p2'),
      instead('webhook-id', undefined),
      instead('webhook-timestamp', String(NOW / 1_000 + 1)),
      instead('webhook-timestamp', undefined),
      instead('webhook-timestamp', 'now'),
      instead('webhook-signature', ''),
      instead('webhook-signature', header('webhook-signature')?.slice(3)),
      { header, body: Buffer.from('another') },
    ]) {
      assert.throws(() => checkSignature(wrong, SECRET, NOW), { code: 'UNAUTHENTICATED' });
    }
    for (const later of [6 * 60_000, -6 * 60_000]) {
      assert.throws(() => checkSignature({ body, header }, SECRET, NOW + later), { code: 'UNAUTHENTICATED' });
    }
    checkSignature({ body, header }, SECRET, NOW + 4 * 60_000);
  });

  test('is refused if the secret contains no key', () => {
    for (const secret of ['whsec_', 'whsec_!']) {
      assert.throws(() => checkSignature(standard(''), secret, NOW), { code: 'UNAUTHENTICATED' });
    }
  });

  test('that is malformed is refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (signature, id, at) => {
        const header = headers({ 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature });

        assert.throws(() => checkSignature({ body: BODY, header }, SECRET, NOW), { code: 'UNAUTHENTICATED' });
      }),
    );
  });
});

function headers(values: Record<string, string>) {
  return (name: string): string | undefined => values[name];
}

function standard(secret = SECRET) {
  const at = String(NOW / 1_000);
  const signature = createHmac('sha256', secret).update(`p1.${at}.`).update(BODY).digest('base64');
  const values = { 'webhook-id': 'p1', 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
  return { body: BODY, header: headers(values) };
}

function signedWith(signature: string | undefined) {
  return { body: BODY, header: (name: string) => (name === 'x-switchboard-signature' ? signature : undefined) };
}
