import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertFails } from '../../../tests/support/secrets/open-secrets.ts';
import type { Login, LoginStep } from '../../connectors/connector.ts';
import { createLogins, type LoginProgress } from './logins.ts';

const PHONE: LoginStep = { kind: 'ask', field: 'phone', label: 'Phone number', secret: false };
const CODE: LoginStep = { kind: 'ask', field: 'code', label: 'Code', secret: true };

describe('a sign-in in steps', () => {
  test('asks one question after the other, and repeats a step that was not answered', async () => {
    const logins = createLogins();
    const answers: string[] = [];
    const open = () => askBoth(answers);

    const first = stepOf(await logins.run('net', open, { by: 'local' }));
    const second = stepOf(await logins.run('net', open, { by: 'local', loginId: first.loginId, answer: '+1555' }));
    const again = stepOf(await logins.run('net', open, { by: 'local', loginId: first.loginId }));
    const end = await logins.run('net', open, { by: 'local', loginId: first.loginId, answer: '123' });

    assert.deepEqual([first.step, second.step, again.step, end], [PHONE, CODE, CODE, { kind: 'done' }]);
    assert.deepEqual(answers, ['+1555', '123']);
  });

  test('waits until a QR code is scanned, repeats the code, and shows a new one after it expired', async () => {
    const logins = createLogins({ scanMs: 5 });
    const scans = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* login(): Login {
      yield { kind: 'show-qr', data: 'one', expiresAt: 1 };
      await scans[0]?.promise;
      yield { kind: 'show-qr', data: 'two', expiresAt: 2 };
      await scans[1]?.promise;
      return { kind: 'done' };
    }

    const { loginId, step } = stepOf(await logins.run('net', login, { by: 'local' }));
    const same = stepOf(await logins.run('net', login, { by: 'local', loginId }));
    scans[0]?.resolve();
    const next = stepOf(await logins.run('net', login, { by: 'local', loginId }));
    scans[1]?.resolve();
    const end = await logins.run('net', login, { by: 'local', loginId });

    assert.deepEqual(
      [step, same.step, next.step].map((each) => each.kind === 'show-qr' && each.data),
      ['one', 'one', 'two'],
    );
    assert.deepEqual(end, { kind: 'done' });
  });

  test('is continued only by the identity that began it: for others it does not exist', async () => {
    const logins = createLogins();
    const open = () => askBoth([]);
    const { loginId } = stepOf(await logins.run('net', open, { by: 'one' }));

    await assertFails(logins.run('net', open, { by: 'other', loginId, answer: 'x' }), 'CONFLICT', /was never begun/);

    assert.equal(stepOf(await logins.run('net', open, { by: 'one', loginId })).step, PHONE);
  });

  test('ends when another one begins for the same source, and its signal is aborted', async () => {
    const logins = createLogins();
    const signals: AbortSignal[] = [];
    const open = (signal: AbortSignal) => {
      signals.push(signal);
      return askBoth([]);
    };

    const former = stepOf(await logins.run('net', open, { by: 'local' }));
    const next = stepOf(await logins.run('net', open, { by: 'local' }));

    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, false],
    );
    await assertFails(
      logins.run('net', open, { by: 'local', loginId: former.loginId, answer: 'x' }),
      'CONFLICT',
      /has ended/,
    );
    await assertFails(
      logins.run('other', open, { by: 'local', loginId: next.loginId, answer: 'x' }),
      'CONFLICT',
      /has ended/,
    );
  });

  test('reports the reason if it fails; it has ended then, and also after an error or a timeout', async () => {
    const logins = createLogins();
    async function* refused(): Login {
      yield PHONE;
      return { kind: 'failed', reason: 'The number is not known.' };
    }
    // biome-ignore lint/correctness/useYield: it fails before its first step
    async function* broken(): Login {
      throw new Error('reset');
    }

    const { loginId } = stepOf(await logins.run('net', refused, { by: 'local' }));
    assert.deepEqual(await logins.run('net', refused, { by: 'local', loginId, answer: '1' }), {
      kind: 'failed',
      reason: 'The number is not known.',
    });
    await assertFails(logins.run('net', refused, { by: 'local', loginId, answer: '1' }), 'CONFLICT', /has ended/);
    await assert.rejects(logins.run('net', broken, { by: 'local' }), /reset/);

    const expiring = createLogins({ expiryMs: 5 });
    const late = stepOf(await expiring.run('net', refused, { by: 'local' }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await assertFails(expiring.run('net', refused, { by: 'local', loginId: late.loginId }), 'CONFLICT', /has ended/);
  });
});

async function* askBoth(answers: string[]): Login {
  answers.push(yield PHONE);
  answers.push(yield CODE);
  return { kind: 'done' };
}

function stepOf(progress: LoginProgress) {
  assert.ok(progress.kind === 'step');
  return progress;
}
