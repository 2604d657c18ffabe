import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../src/domain/errors.ts';
import { notSent, rejectionOf, sentAs } from '../support/connectors/outcomes.ts';
import { matrixFixture } from '../support/matrix/fixture.ts';

const here = matrixFixture();

describe('signing in', () => {
  test('with an access token queries its user, and stores only the sync position', async () => {
    const memory = new Map<string, string>();

    await here.run({ memory }).connected();

    assert.ok(here.server.requests.some(({ path }) => path.endsWith('/account/whoami')));
    assert.deepEqual([...memory.keys()], [`since ${here.me}`]);
  });

  test('with a password uses the same device every time, and never stores the token', async () => {
    const memory = new Map<string, string>();
    for (let times = 0; times < 3; times += 1) {
      const one = here.run({ memory }, here.byPassword());
      await one.connected();
      await one.stop();
    }

    assert.equal(new Set(here.server.devicesOf(here.me)).size, 1);
    assert.equal(JSON.stringify([...memory]).includes('token-'), false);
  });

  test('with a wrong password is rejected without a retry', async () => {
    const outcome = await here.run({}, { ...here.byPassword(), password: 'wrong' }).ended;

    assert.equal(rejectionOf(outcome).includes('words of the homeserver'), false);
    assert.equal(here.server.requests.length, 1);
  });

  test('with an invalid or revoked token is rejected', async () => {
    const one = await here.connected();
    here.server.signOut(here.me);
    here.say('wakes the poll');

    const outcome = await one.ended;
    const never = await here.run({}, { homeserver: here.server.url, access_token: 'token-of-nobody', rooms: [] }).ended;

    for (const rejection of [outcome, never]) {
      assert.equal(rejectionOf(rejection), 'The homeserver does not accept the access token.');
    }
  });

  test('a revoked token of a password sign-in is renewed', async () => {
    const memory = new Map<string, string>();
    const one = here.run({ memory }, here.byPassword());
    await one.connected();
    here.server.signOut(here.me, { soft: true });
    here.say('wakes the poll');

    const outcome = await one.ended;
    const next = here.run({ memory }, here.byPassword());
    await next.until(() => next.messages().some(({ text }) => text === 'wakes the poll'));

    assert.ok(outcome instanceof Error);
  });

  test('with a password is done once for all following connections', async () => {
    const settings = here.byPassword();
    for (let times = 0; times < 3; times += 1) await (await here.connected({}, settings)).stop();

    assert.equal(here.server.requests.filter(({ path }) => path.endsWith('/login')).length, 1);
  });

  test('without a token or a password is rejected with what is missing', async () => {
    const outcome = await here.run({}, { homeserver: here.server.url, user: here.me, rooms: [] }).ended;

    assert.match(rejectionOf(outcome), /access token, or a user and a password/);
  });

  test('sends no token to a redirect target, and is rejected if there is no homeserver', async () => {
    here.server.fault({
      path: /whoami/,
      answer: { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
    });
    const elsewhere = await here.run().ended;
    here.server.fault({ path: /whoami/, answer: { status: 404, body: '<html>nothing here</html>' } });
    const nowhere = await here.run().ended;

    assert.match(rejectionOf(elsewhere), /leads elsewhere/);
    assert.match(rejectionOf(nowhere), /no Matrix homeserver/);
  });
});

describe('a failing homeserver', () => {
  test('that limits the rate is retried after the requested delay', async () => {
    const busy = { status: 429, body: { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 5 } };
    const header = { status: 429, headers: { 'retry-after': '0' }, body: { errcode: 'M_LIMIT_EXCEEDED' } };
    here.server.fault({ path: /sync/, answer: busy });
    here.server.fault({ path: /whoami/, answer: header });
    const one = await here.connected();
    here.server.fault({ path: /\/send\//, answer: busy });

    const sent = await one.connection.send?.({ id: '1', chat: here.room, text: 'patient' });

    assert.ok(sentAs(sent).id);
  });

  test('that requests too long a delay fails the message, which can be retried', async () => {
    const one = await here.connected();
    here.server.fault({ path: /\/send\//, answer: { status: 429, body: { retry_after_ms: 3_600_000 } } });

    const outcome = await one.connection.send?.({ id: '1', chat: here.room, text: 'x' });

    assert.equal(notSent(outcome).retry, true);
  });

  test('that fails after the sign-in is reported with its status', async () => {
    here.server.fault({ path: /sync/, answer: { status: 502, body: 'words of a proxy' } });

    const outcome = await here.run().ended;

    assert.ok(outcome instanceof AppError, String(outcome));
    assert.equal(outcome.message, 'The homeserver, or a proxy in front of it, answers with status 502.');
  });

  test('that returns an error or invalid data, or disconnects, ends the connection with an error', async () => {
    const answers = [
      { status: 500, body: {} },
      { status: 200, body: 'nonsense' },
      { status: 200, body: { rooms: {} } },
    ];
    for (const answer of answers) {
      here.server.fault({ path: /sync/, answer });
      const outcome = await here.run().ended;
      assert.ok(outcome instanceof Error, String(answer.body));
    }
    here.server.fault({ path: /sync/, cutAfter: true });
    const outcome = await here.run().ended;

    assert.ok(outcome instanceof Error);
  });

  test('whose response exceeds the limit is not read to the end', async () => {
    here.server.fault({ path: /sync/, answer: { status: 200, body: `"${'x'.repeat(32 * 1024 * 1024 + 1)}"` } });

    const outcome = await here.run().ended;

    assert.match(String(outcome), /more than \d+ bytes/);
  });

  test('that never answers does not delay closing the connection', async () => {
    here.server.fault({ path: /sync/, hang: true });
    const one = here.run();
    await here.server.asked(({ path }) => path.endsWith('/sync'));

    await one.stop();

    assert.equal(await one.ended, undefined);
  });

  test('a long poll ends immediately when the connection is closed', async () => {
    const one = await here.connected();
    await here.server.asked(({ query }) => query.get('timeout') === '30000');

    await one.stop();

    assert.equal(await one.ended, undefined);
  });
});
