import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { LoginEnd, LoginHost, LoginStep } from '../../src/connectors/connector.ts';
import { telegram } from '../../src/connectors/telegram/index.ts';
import { memorySecrets } from '../support/chat/memory-secrets.ts';
import { silentLog } from '../support/operation-context.ts';
import { IDS, startFixture } from '../support/telegram/fixture.ts';
import { CODE, PHONE } from '../support/telegram/sign-in.ts';

const PASSWORD = 'the second factor';

type Settings = Parameters<typeof telegram.open>[0];

describe('signing in to Telegram', { timeout: 120_000 }, () => {
  test('by phone number and code, where the account has no password', async (context) => {
    const { steps, end, connect } = await signIn(context, [PHONE, CODE]);

    assert.deepEqual(fieldsOf(steps), ['phone', 'code']);
    assert.match(labelOf(steps[1]), /in the Telegram app/);
    assert.deepEqual(end, { kind: 'done' });
    await (await connect()).isState('connected');
  });

  test('with a password, which may be repeated', async (context) => {
    const { steps, end } = await signIn(context, [PHONE, CODE, 'wrong', PASSWORD], { password: PASSWORD });

    assert.deepEqual(fieldsOf(steps), ['phone', 'code', 'password', 'password']);
    assert.match(labelOf(steps[3]), /^The password is wrong\. /);
    assert.equal(steps[2]?.kind === 'ask' && steps[2].secret, true);
    assert.deepEqual(end, { kind: 'done' });
  });

  test('a code may be repeated, and has spaces as the app shows it', async (context) => {
    const { steps, end } = await signIn(context, [PHONE, '00000', '12 345']);

    assert.deepEqual(fieldsOf(steps), ['phone', 'code', 'code']);
    assert.match(labelOf(steps[2]), /^The code is wrong\. /);
    assert.deepEqual(end, { kind: 'done' });
  });

  for (const [what, answers, reason] of [
    ['an unknown number', ['+1'], /does not know this phone number/],
    ['three wrong codes', [PHONE, '1', '2', '3'], /^The code is wrong\.$/],
    ['three wrong passwords', [PHONE, CODE, 'a', 'b', 'c'], /^The password is wrong\.$/],
  ] as const) {
    test(`${what} fails in our own text, and nothing is stored`, async (context) => {
      const { end, secrets } = await signIn(context, answers, { password: PASSWORD });

      assert.match(end?.kind === 'failed' ? end.reason : '', reason);
      assert.equal(secrets.size, 0);
    });
  }

  for (const [error, reason] of [
    ['FLOOD_WAIT_7200', /wait for 2 hours/],
    ['PHONE_NUMBER_BANNED', /banned or closed/],
    ['API_ID_INVALID', /my\.telegram\.org/],
  ] as const) {
    test(`${error} is explained`, async (context) => {
      const { end } = await signIn(context, [PHONE], {
        prepare: (server) => server.fail('auth.sendCode', error.startsWith('FLOOD') ? 420 : 400, error),
      });

      assert.match(end?.kind === 'failed' ? end.reason : '', reason);
    });
  }

  test('by a QR code that is scanned, and then the password', async (context) => {
    const { steps, end } = await signIn(context, ['', 'scanned', PASSWORD], { password: PASSWORD });

    assert.deepEqual(fieldsOf(steps), ['phone', 'show-qr', 'password']);
    const [, qr] = steps;
    assert.match(qr?.kind === 'show-qr' ? qr.data : '', /^tg:\/\/login\?token=[\w-]{20,}$/);
    assert.deepEqual(end, { kind: 'done' });
  });

  test('after an interruption it continues with the code that was sent', async (context) => {
    const first = await signIn(context, [PHONE]);

    const { steps, end } = await first.again([CODE]);

    assert.deepEqual(fieldsOf(first.steps), ['phone', 'code']);
    assert.deepEqual(fieldsOf(steps), ['code']);
    assert.match(labelOf(steps[0]), /already sent a code/);
    assert.deepEqual(end, { kind: 'done' });
    assert.equal(first.count('auth.sendCode'), 1);
  });

  test('a session is one secret, and is not in the memory', async (context) => {
    const { secrets, memory } = await signIn(context, [PHONE, CODE]);

    assert.deepEqual([...secrets.keys()], ['network session']);
    assert.deepEqual([...memory], []);
  });

  test('without a network it fails, and says why', async (context) => {
    const { end } = await signIn(context, [PHONE], { prepare: (server) => server.down() });

    assert.match(end?.kind === 'failed' ? end.reason : '', /refuses connections/);
  });
});

describe('signing off from Telegram', { timeout: 120_000 }, () => {
  test('ends the session there, and deletes it here', async (context) => {
    const { logout, secrets, connect, count } = await signIn(context, [PHONE, CODE]);
    const session = new Map(secrets);

    assert.deepEqual(await logout(), { kind: 'done' });

    assert.equal(secrets.size, 0);
    assert.equal(count('auth.logOut'), 1);
    await (await connect(session)).isState('rejected');
    assert.deepEqual(await logout(), { kind: 'done' });
  });

  test('deletes it here also if Telegram cannot be reached, and says where to end it', async (context) => {
    const { logout, secrets, server } = await signIn(context, [PHONE, CODE]);
    await server.down();

    const end = await logout();

    assert.match(end?.kind === 'not-revoked' ? end.reason : '', /Settings, Devices/);
    assert.equal(secrets.size, 0);
  });
});

describe('a session of Telegram', { timeout: 120_000 }, () => {
  test('that is ended while it is used is reported, and not used again', async (context) => {
    const { connect, server, count } = await signIn(context, [PHONE, CODE]);
    const source = await connect();
    await source.isState('connected');

    server.fail('updates.getDifference', 401, 'AUTH_KEY_UNREGISTERED');
    server.fail('users.getUsers', 401, 'AUTH_KEY_UNREGISTERED');
    server.model.events.emit('updates', { _: 'updatesTooLong' });

    await source.isState('rejected');
    assert.match((await source.view()).problem ?? '', /^Telegram has ended this session\. Sign in again/);
    assert.equal(count('users.getUsers'), 2);
  });

  test('whose key the server does not know is rejected', async (context) => {
    const { server, connect } = await startFixture(context);
    const other = await startFixture(context);

    const source = await connect({ ...server.settings, session: other.server.session() });

    await source.isState('rejected');
    assert.match((await source.view()).problem ?? '', /^Telegram has ended this session/);
  });

  test('that is no session string is rejected', async (context) => {
    const { server, connect } = await startFixture(context);

    const source = await connect({ ...server.settings, session: 'nonsense' });

    await source.isState('rejected');
    assert.match((await source.view()).problem ?? '', /not a session string/);
  });

  test('with a server whose key is missing, or is none, is rejected', async (context) => {
    const { settings, connect } = await startFixture(context);
    const reasons: string[] = [];

    for (const key of [undefined, '/nowhere/server.pem', import.meta.filename]) {
      const source = await connect({ ...settings, server_key: key });
      await source.isState('rejected');
      reasons.push((await source.view()).problem ?? '');
      await source.stop();
    }

    assert.deepEqual(reasons, [
      'The setting `server` requires `server_key`.',
      'The file of `server_key` cannot be read.',
      'The file of `server_key` is not a public RSA key in PEM.',
    ]);
  });

  test('of the same account continues where the former one ended', async (context) => {
    const { server, connect, say, settings, count } = await startFixture(context);
    const source = await connect();
    await source.isState('connected');
    say({ _: 'peerUser', userId: 2_000 }, 'hello');
    await source.arrived(IDS.ann, 'hello');
    await source.historySettled();
    await source.stop();

    say({ _: 'peerUser', userId: 2_000 }, 'meanwhile');
    const before = count('messages.getHistory');
    const again = await connect({ ...settings, session: server.session() });

    await again.arrived(IDS.ann, 'meanwhile');
    assert.deepEqual(await again.texts(IDS.ann), ['hello', 'meanwhile']);
    assert.equal(count('messages.getHistory'), before);
  });
});

interface SignInOptions {
  password?: string;
  prepare?(server: Awaited<ReturnType<typeof startFixture>>['server']): unknown;
}

/** Signs in with these answers; `scanned` scans the code that is shown. Without an answer, it is cancelled. */
async function signIn(context: TestContext, answers: readonly string[], { password, prepare }: SignInOptions = {}) {
  const fixture = await startFixture(context, password === undefined ? {} : { password });
  const { server } = fixture;
  await prepare?.(server);
  const secrets = new Map<string, string>();
  const memory = new Map<string, string>();
  const settings = server.settings as Settings;

  function hostWith(signal: AbortSignal): LoginHost {
    const { get, set, delete: remove } = memorySecrets(secrets);
    return {
      source: 'network',
      clock: { now: () => Date.now() },
      log: silentLog,
      signal,
      memory: { get: async (key) => memory.get(key), set: async (key, value) => void memory.set(key, value) },
      secrets: {
        get: (name) => get('network', name),
        set: (name, value) => set('network', name, value),
        delete: (name) => remove('network', name),
      },
    };
  }

  async function again(given: readonly string[]): Promise<{ steps: LoginStep[]; end?: LoginEnd }> {
    const cancel = new AbortController();
    const dialog = telegram.login?.(settings, hostWith(cancel.signal));
    if (!dialog) throw new Error('it has no sign-in');
    const steps: LoginStep[] = [];
    const left = [...given];
    for (let next = await dialog.next(''); ; ) {
      if (next.done) return { steps, end: next.value };
      steps.push(next.value);
      const answer = left.shift();
      if (answer === undefined) {
        cancel.abort();
        await dialog.next('');
        return { steps };
      }
      if (answer === 'scanned') server.scan();
      next = await dialog.next(answer);
    }
  }

  return {
    ...(await again(answers)),
    again,
    secrets,
    memory,
    server,
    count: fixture.count,
    connect: (given = secrets) => fixture.connect(settings, given),
    logout: () => telegram.logout?.(settings, hostWith(AbortSignal.timeout(60_000))),
  };
}

function fieldsOf(steps: readonly LoginStep[]): string[] {
  return steps.map((step) => (step.kind === 'ask' ? step.field : step.kind));
}

function labelOf(step: LoginStep | undefined): string {
  return step?.kind === 'ask' ? step.label : '';
}
