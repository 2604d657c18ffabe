import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OAuthSecrets } from '../../src/servers/oauth/oauth-server.ts';
import { type OAuthWorld, oauthWorld, request } from '../support/servers/oauth-world.ts';

const MINUTE = 60_000;
const NEEDS_LOGIN = {
  code: 'UNAUTHENTICATED',
  message: 'The server github needs a login.',
  hint: 'Log in with `switchboard servers login github`.',
};

describe('a token', () => {
  test('is refreshed five minutes before it expires, with the resource', async (t) => {
    const { login, oauth, server, clock, authority } = await oauthWorld(t);
    await login();
    const first = await oauth.authorization(server);
    clock.advance(54 * MINUTE);
    const same = await oauth.authorization(server);
    clock.advance(2 * MINUTE);

    const next = await oauth.authorization(server);

    assert.equal(same, first);
    assert.notEqual(next, first);
    const [asked] = refreshesOf({ authority });
    assert.equal(asked?.get('resource'), server.url);
  });

  test('that does not last ten minutes is used for half of its time', async (t) => {
    const { login, oauth, server, clock, authority } = await oauthWorld(t, { authority: { expiresIn: 60 } });
    await login();
    clock.advance(29_000);
    await oauth.authorization(server);
    const before = refreshesOf({ authority }).length;
    clock.advance(2_000);
    await oauth.authorization(server);

    assert.deepEqual([before, refreshesOf({ authority }).length], [0, 1]);
  });

  test('without an expiry is used until it is refused', async (t) => {
    const { login, call, clock, authority, oauth, server } = await oauthWorld(t, {
      authority: { expiresIn: undefined },
    });
    await login();
    clock.advance(1_000 * 24 * 60 * MINUTE);
    const before = [await call(), refreshesOf({ authority }).length];
    authority.end(tokenIn(await oauth.authorization(server)));

    const after = [await call(), refreshesOf({ authority }).length];

    assert.deepEqual(
      [before, after],
      [
        [200, 0],
        [200, 1],
      ],
    );
  });

  test('that the server refuses is refreshed, and the call can be tried again', async (t) => {
    const { login, call, authority, oauth, server } = await oauthWorld(t);
    await login();
    authority.end(tokenIn(await oauth.authorization(server)));

    assert.equal(await call(), 200);
  });

  test('that has just replaced a refused one, and is refused too, needs a login', async (t) => {
    const { login, call, authority, oauth, server } = await oauthWorld(t);
    await login();
    authority.end(tokenIn(await oauth.authorization(server)));
    const first = await call();
    authority.end(tokenIn(await oauth.authorization(server)));

    const second = await call();

    assert.deepEqual([first, second], [200, 'login']);
    assert.equal(refreshesOf({ authority }).length, 1);
  });

  test('without a refresh token that is refused needs a login', async (t) => {
    const { login, call, authority, oauth, server } = await oauthWorld(t, { authority: { givesRefreshTokens: false } });
    await login();
    authority.end(tokenIn(await oauth.authorization(server)));

    assert.equal(await call(), 'login');
    assert.equal(await oauth.status(server), 'needs-login');
    await assert.rejects(oauth.authorization(server), NEEDS_LOGIN);
  });

  test('without a refresh token expires', async (t) => {
    const { login, oauth, server, clock } = await oauthWorld(t, { authority: { givesRefreshTokens: false } });
    const { isRefreshable } = await login();
    clock.advance(58 * MINUTE);
    const late = await oauth.authorization(server);
    clock.advance(3 * MINUTE);

    assert.equal(isRefreshable, false);
    assert.match(late ?? '', /^Bearer/);
    assert.equal(await oauth.status(server), 'expired');
    await assert.rejects(oauth.authorization(server), NEEDS_LOGIN);
  });

  test('is used as long as it is valid where the authorization server fails', async (t) => {
    const { login, oauth, server, clock, authority } = await oauthWorld(t);
    await login();
    const first = await oauth.authorization(server);
    clock.advance(57 * MINUTE);
    authority.fail('token', { kind: 'status', status: 503 }, 'always');
    const valid = await oauth.authorization(server);
    await oauth.authorization(server);
    const tried = refreshesOf({ authority }).length;
    clock.advance(4 * MINUTE);

    await assert.rejects(oauth.authorization(server), { code: 'SERVICE_UNAVAILABLE' });
    assert.deepEqual([valid, tried], [first, 1]);
    authority.mend('token');
    assert.notEqual(await oauth.authorization(server), first);
  });
});

describe('a refresh', () => {
  test('is shared by all calls at the same time', async (t) => {
    const { login, oauth, server, clock, authority } = await oauthWorld(t);
    await login();
    clock.advance(60 * MINUTE);

    const headers = await Promise.all(Array.from({ length: 20 }, () => oauth.authorization(server)));

    assert.equal(new Set(headers).size, 1);
    assert.equal(refreshesOf({ authority }).length, 1);
  });

  test('is shared by calls that were refused with the same token, even if one of them is late', async (t) => {
    const { login, oauth, server, authority } = await oauthWorld(t);
    await login();
    const used = await oauth.authorization(server);
    authority.end(tokenIn(used));
    const { challenge } = await request(server.url, used);

    const answers = await Promise.all(Array.from({ length: 10 }, () => oauth.onUnauthorized(server, challenge, used)));
    const late = await oauth.onUnauthorized(server, challenge, used);

    assert.deepEqual(new Set([...answers, late]), new Set(['retry']));
    assert.equal(refreshesOf({ authority }).length, 1);
  });

  test('that is refused ends the login, until somebody logs in', async (t) => {
    const { login, oauth, open, server, clock, authority, secrets } = await oauthWorld(t);
    await login();
    authority.end((await secrets.get('oauth/github', 'refresh_token')) ?? '');
    clock.advance(60 * MINUTE);

    await assert.rejects(oauth.authorization(server), NEEDS_LOGIN);
    await assert.rejects(oauth.authorization(server), NEEDS_LOGIN);
    const later = open();
    assert.deepEqual([await oauth.status(server), await later.status(server)], ['needs-login', 'needs-login']);
    assert.equal(refreshesOf({ authority }).length, 1);
    await login();
    assert.equal(await oauth.status(server), 'connected');
  });

  test('of a client that is no longer known ends the login, and the next one registers again', async (t) => {
    const { login, oauth, server, clock, authority } = await oauthWorld(t);
    await login();
    authority.forgetClients();
    clock.advance(60 * MINUTE);

    await assert.rejects(oauth.authorization(server), NEEDS_LOGIN);
    await login();

    assert.equal(authority.registrations.length, 2);
    assert.equal(await oauth.status(server), 'connected');
  });

  test('with a wrong secret of the user keeps the login', async (t) => {
    const options = { authority: { client: { id: 'mine', secret: 'right' } }, auth: { client_id: 'mine' } };
    const { login, oauth, server, clock, secrets } = await oauthWorld(t, options);
    await secrets.set('server/github', 'oauth_client_secret', 'right');
    await login();
    clock.advance(60 * MINUTE);
    await secrets.set('server/github', 'oauth_client_secret', 'wrong');

    await assert.rejects(oauth.authorization(server), { code: 'UNAUTHENTICATED', message: /oauth_client_secret/ });
    await secrets.set('server/github', 'oauth_client_secret', 'right');
    assert.match((await oauth.authorization(server)) ?? '', /^Bearer/);
  });

  for (const [name, fault, code] of [
    ['cannot be reached', undefined, 'NETWORK_ERROR'],
    ['is a captive portal', { kind: 'text', text: '<html>', type: 'text/html' }, 'SERVICE_UNAVAILABLE'],
    ['sends too much', { kind: 'text', text: 'x'.repeat(2_000_000) }, 'SERVICE_UNAVAILABLE'],
    ['limits the rate', { kind: 'status', status: 429 }, 'SERVICE_UNAVAILABLE'],
    ['redirects', { kind: 'redirect', to: 'https://example.test/' }, 'SERVICE_UNAVAILABLE'],
    ['gives a token that is no header', { kind: 'text', text: tokenAnswer('a\r\nb') }, 'SERVICE_UNAVAILABLE'],
    ['gives a token of another type', { kind: 'text', text: tokenAnswer('a', 'DPoP') }, 'SERVICE_UNAVAILABLE'],
  ] as const) {
    test(`can be tried again where the authorization server ${name}`, async (t) => {
      const { login, oauth, server, clock, authority } = await oauthWorld(t);
      await login();
      clock.advance(60 * MINUTE);
      if (fault) authority.fail('token', fault);
      else await authority.close();

      await assert.rejects(oauth.authorization(server), { code });
      assert.equal(await oauth.status(server), 'connected');
    });
  }

  test('leaves nothing where somebody logs out meanwhile', async (t) => {
    const { login, oauth, server, clock, secrets } = await oauthWorld(t);
    await login();
    clock.advance(60 * MINUTE);

    await Promise.allSettled([oauth.authorization(server), oauth.logout(server)]);

    assert.deepEqual(await secrets.list('oauth/github'), []);
    assert.equal(await oauth.status(server), 'none');
  });
});

describe('a new refresh token', () => {
  test('is stored before the access token is used', async (t) => {
    const world = await oauthWorld(t);
    await world.login();
    world.clock.advance(60 * MINUTE);
    const failing = failingSecrets(world.secrets, 'access_token');

    await assert.rejects(world.open(failing).authorization(world.server), { message: 'disk full' });

    // After a crash here, the login goes on with the new one.
    assert.equal(await world.call(world.open()), 200);
    assert.equal(refreshesOf(world).length, 2);
  });

  test('that is lost in a crash before it is stored needs a login', async (t) => {
    const world = await oauthWorld(t);
    await world.login();
    world.clock.advance(60 * MINUTE);
    const failing = failingSecrets(world.secrets, 'refresh_token');
    await assert.rejects(world.open(failing).authorization(world.server), { message: 'disk full' });

    const afterCrash = world.open();

    await assert.rejects(afterCrash.authorization(world.server), NEEDS_LOGIN);
    assert.equal(await afterCrash.status(world.server), 'needs-login');
  });

  test('is stored later where that was not possible at once, and is not requested again', async (t) => {
    const world = await oauthWorld(t);
    await world.login();
    world.clock.advance(60 * MINUTE);
    const failing = failingSecrets(world.secrets, 'refresh_token');
    const oauth = world.open(failing);
    await assert.rejects(oauth.authorization(world.server), { message: 'disk full' });
    await assert.rejects(oauth.authorization(world.server), { message: 'disk full' });

    failing.mend();

    assert.equal(await world.call(oauth), 200);
    assert.equal(refreshesOf(world).length, 1);
    assert.equal(await world.call(world.open()), 200);
  });
});

function tokenAnswer(token: string, type = 'Bearer'): string {
  return JSON.stringify({ access_token: token, token_type: type });
}

function tokenIn(header: string | undefined): string {
  return (header ?? '').replace('Bearer ', '');
}

function refreshesOf({ authority }: Pick<OAuthWorld, 'authority'>): readonly URLSearchParams[] {
  return authority.tokenRequests.filter((asked) => asked.get('grant_type') === 'refresh_token');
}

/** A secrets store that cannot write one of the secrets. */
function failingSecrets(secrets: OAuthSecrets, name: string): OAuthSecrets & { mend(): void } {
  let isFailing = true;
  return {
    get: secrets.get,
    delete: secrets.delete,
    deleteGroup: secrets.deleteGroup,
    async set(group, given, value) {
      if (isFailing && given === name) throw new Error('disk full');
      await secrets.set(group, given, value);
    },
    mend() {
      isFailing = false;
    },
  };
}
