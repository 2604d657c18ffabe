import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createScram } from './scram.ts';

// The exchanges of RFC 5802 and RFC 7677.
const EXCHANGES = [
  {
    hash: 'sha1',
    nonce: 'fyko+d2lbbFgONRv9qkxdawL',
    challenge: 'r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096',
    answer: 'c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=',
    final: 'v=rmF9pqV8S7suAoZWja4dJRkFsKQ=',
  },
  {
    hash: 'sha256',
    nonce: 'rOprNGfwEbeRWgbNEkqO',
    challenge: 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
    answer:
      'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
    final: 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
  },
] as const;

describe('SCRAM', () => {
  for (const { hash, nonce, challenge, answer, final } of EXCHANGES) {
    test(`answers as the standard's example does (${hash})`, async () => {
      const scram = createScram(hash, { user: 'user', password: 'pencil', nonce });

      const given = await scram.answer(challenge);

      assert.equal(scram.first, `n,,n=user,r=${nonce}`);
      assert.equal(given, answer);
      assert.equal(scram.proves(final), true);
      assert.equal(scram.proves('v=AAAA'), false);
    });
  }

  test('accepts no server signature before a challenge, and no empty one', () => {
    const scram = createScram('sha256', { user: 'user', password: 'pencil' });

    assert.equal(scram.proves('v='), false);
  });

  test('rejects a challenge with another nonce or with too many iterations', async () => {
    const scram = createScram('sha1', { user: 'user', password: 'pencil', nonce: 'abc' });
    const bad = [
      '',
      'r=abc,s=AAAA,i=1',
      'r=xyz1,s=AAAA,i=1',
      'r=abc1,s=,i=1',
      'r=abc1,s=AAAA,i=0',
      'r=abc1,s=AAAA,i=9999999',
    ];

    const answers = await Promise.allSettled(bad.map((challenge) => scram.answer(challenge)));

    assert.deepEqual(
      answers.map(({ status }) => status),
      bad.map(() => 'rejected'),
    );
  });

  test('answers or rejects any challenge', async () => {
    const scram = createScram('sha1', { user: 'a,b=c', password: 'pencil', nonce: 'abc' });

    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (challenge) => {
        const [settled] = await Promise.allSettled([scram.answer(challenge)]);

        assert.equal(settled.status, 'rejected');
      }),
    );
  });
});
