import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { firstStep, loginInBrowser, oauthWorld } from '../support/servers/oauth-world.ts';

describe('logging in to a server', () => {
  test('registers, logs in with a browser, and gets a header that the server accepts', async (t) => {
    const { login, call, oauth, server, authority } = await oauthWorld(t);
    const before = [await oauth.status(server), await oauth.authorization(server), await call()];

    const loggedIn = await login();

    assert.deepEqual(before, ['none', undefined, 'login']);
    assert.deepEqual(loggedIn, { issuer: authority.issuer, scopes: [], isRefreshable: true });
    assert.match((await oauth.authorization(server)) ?? '', /^Bearer access-/);
    assert.deepEqual([await oauth.status(server), await call()], ['connected', 200]);
  });

  test('asks with PKCE, a state and the resource, and registers as a native client', async (t) => {
    const { login, authority, resource } = await oauthWorld(t);

    await login();

    const asked = Object.fromEntries(authority.authorizations[0] ?? []);
    const [registration] = authority.registrations;
    assert.equal(asked.response_type, 'code');
    assert.equal(asked.code_challenge_method, 'S256');
    assert.equal(asked.resource, resource.url);
    assert.ok((asked.state ?? '').length >= 32);
    assert.match(asked.redirect_uri ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    assert.deepEqual(registration?.redirect_uris, [asked.redirect_uri]);
    assert.equal(registration?.application_type, 'native');
    assert.equal(registration?.token_endpoint_auth_method, 'none');
    assert.equal(authority.tokenRequests[0]?.get('resource'), resource.url);
  });

  test('HOST-13: keeps the tokens in the group of the server, each masked', async (t) => {
    const { login, secrets, oauth, server } = await oauthWorld(t, { authority: { givesSecrets: true } });

    await login();

    const names = (await secrets.list('oauth/github')).map(({ name }) => name.replace(/-[0-9a-f]{16}$/, ''));
    const header = (await oauth.authorization(server)) ?? '';
    assert.deepEqual(names, ['access_token', 'client', 'client_secret', 'login', 'refresh_token']);
    assert.equal(secrets.masker.mask(header), 'Bearer [secret]');
    assert.equal(secrets.masker.mask(server.url), server.url);
  });

  test('works with the client of the user, without a registration', async (t) => {
    const client = { id: 'mine', secret: 'a secret: with & signs' };
    const world = await oauthWorld(t, { authority: { client, hasRegistration: false }, auth: { client_id: 'mine' } });
    await world.secrets.set('server/github', 'oauth_client_secret', client.secret);

    await world.login();
    world.clock.advance(3_600_000);

    assert.equal(await world.call(), 200);
    assert.equal(world.authority.tokenRequests.at(-1)?.get('grant_type'), 'refresh_token');
    assert.equal(world.authority.registrations.length, 0);
  });

  test('uses the redirect URI that the user has registered', async (t) => {
    const redirectUri = `http://127.0.0.1:${await freePort()}/back`;
    const auth = { client_id: 'mine', redirect_uri: redirectUri };
    const { login, authority } = await oauthWorld(t, { authority: { client: { id: 'mine' } }, auth });

    await login();

    assert.equal(authority.authorizations[0]?.get('redirect_uri'), redirectUri);
  });

  test('says what to do where clients must be registered by hand', async (t) => {
    const { login } = await oauthWorld(t, { authority: { hasRegistration: false } });

    await assert.rejects(login(), { code: 'UNAUTHENTICATED', hint: /auth\.client_id/ });
  });

  test('uses its registration and its port again', async (t) => {
    const { login, open, authority } = await oauthWorld(t);

    await login();
    await login(open());

    const [one, other] = authority.authorizations.map((asked) => asked.get('redirect_uri'));
    assert.equal(authority.registrations.length, 1);
    assert.equal(one, other);
  });

  test('registers again where the authorization server has forgotten the client', async (t) => {
    const { login, authority, oauth, server } = await oauthWorld(t);
    await login();
    authority.fail('token', { kind: 'refuse', error: 'invalid_client' });

    await login();

    assert.equal(authority.registrations.length, 2);
    assert.equal(await oauth.status(server), 'connected');
  });

  test('takes the address of the last page where this machine has no browser', async (t) => {
    const { oauth, server, authority } = await oauthWorld(t);
    const dialog = oauth.login(server, { openBrowser: false, signal: t.signal });
    const step = await firstStep(dialog);
    const page = await fetch(step.url, { redirect: 'manual' });

    const again = await dialog.next('http://127.0.0.1:1/callback?code=x');
    const end = await dialog.next(` ${page.headers.get('location')}\n`);

    assert.equal(step.kind, 'ask');
    assert.match(again.done ? '' : (again.value as { label: string }).label, /^That is not the address/);
    assert.deepEqual(end, { done: true, value: { issuer: authority.issuer, scopes: [], isRefreshable: true } });
  });

  test('needs no address where the browser was on this machine after all', async (t) => {
    const { oauth, server } = await oauthWorld(t);
    const dialog = oauth.login(server, { openBrowser: false, signal: t.signal });
    const { url } = await firstStep(dialog);
    await (await fetch(url)).text();

    const end = await dialog.next('');

    assert.equal(end.done, true);
  });

  test('gives up where what is pasted is never the address', async (t) => {
    const { oauth, server } = await oauthWorld(t);
    const dialog = oauth.login(server, { openBrowser: false, signal: t.signal });
    await dialog.next();
    await dialog.next('no');
    await dialog.next(`http://127.0.0.1/callback?state=${'x'.repeat(20_000)}`);

    await assert.rejects(dialog.next(''), { code: 'VALIDATION_ERROR', field: 'callback_url' });
  });

  test('shows a code where the authorization server has such, and waits until it was typed', async (t) => {
    const { oauth, server, authority, call } = await oauthWorld(t, { authority: { hasDevice: true } });
    const dialog = oauth.login(server, { openBrowser: false, signal: t.signal });

    const step = await firstStep(dialog);
    authority.acceptDevice();
    const end = await dialog.next('');

    assert.deepEqual(step, { kind: 'open', url: `${authority.issuer}/type-it-here`, code: 'ABCD-1234' });
    assert.equal(end.done, true);
    assert.equal(await call(), 200);
  });

  test('falls back to the pasted address where the client may not use codes', async (t) => {
    const { oauth, server, authority } = await oauthWorld(t, { authority: { hasDevice: true } });
    authority.fail('device', { kind: 'refuse', error: 'unauthorized_client' });

    const step = await firstStep(oauth.login(server, { openBrowser: false, signal: t.signal }));

    assert.equal(step.kind, 'ask');
  });

  test('ends when it is cancelled, and its port is closed', async (t) => {
    const { oauth, server } = await oauthWorld(t);
    const cancel = new AbortController();
    const dialog = oauth.login(server, { signal: cancel.signal });
    const { url } = await firstStep(dialog);
    const rest = dialog.next('');

    cancel.abort();

    await assert.rejects(rest, { code: 'UNAUTHENTICATED', message: 'The login was cancelled.' });
    await assert.rejects(fetch(new URL(url).searchParams.get('redirect_uri') ?? ''));
  });

  test('closes its port where the dialog is given up at a step', async (t) => {
    const { oauth, server } = await oauthWorld(t);
    const dialog = oauth.login(server, { signal: t.signal });
    const { url } = await firstStep(dialog);

    await dialog.return({ issuer: '', scopes: [], isRefreshable: false });

    await assert.rejects(fetch(new URL(url).searchParams.get('redirect_uri') ?? ''));
  });

  test('keeps the login before where the user refuses', async (t) => {
    const { login, authority, call } = await oauthWorld(t);
    await login();
    authority.redirectWith({ code: undefined, error: 'access_denied', error_description: 'Ignore all' });

    await assert.rejects(login(), { code: 'UNAUTHENTICATED', message: /says that the login was refused\.$/ });
    assert.equal(await call(), 200);
  });
});

describe('the scopes of a login', () => {
  for (const [from, resource, scope] of [
    ['the challenge', { scope: 'one two', fields: { scopes_supported: ['three'] } }, 'one two'],
    ['the metadata of the server', { fields: { scopes_supported: ['three', 'four'] } }, 'three four'],
    ['the configuration', {}, 'five'],
  ] as const) {
    test(`are those of ${from}`, async (t) => {
      const { login, authority } = await oauthWorld(t, { resource, auth: { scopes: ['five'] } });

      await login();

      assert.equal(authority.authorizations[0]?.get('scope'), scope);
      assert.equal(authority.registrations[0]?.scope, scope);
    });
  }

  test('include offline_access where the authorization server has it', async (t) => {
    const fields = { scopes_supported: ['openid', 'offline_access'] };
    const { login, authority } = await oauthWorld(t, { authority: { fields }, resource: { scope: 'one' } });

    await login();

    assert.equal(authority.authorizations[0]?.get('scope'), 'one offline_access');
    assert.equal(authority.authorizations[0]?.get('prompt'), 'consent');
  });

  test('are those of before and more, where the server asks for more', async (t) => {
    const { login, call, open, authority, resource, oauth, server } = await oauthWorld(t, {
      resource: { scope: 'read' },
    });
    await login();
    resource.requireScope('write');

    const refused = await call();
    const status = await oauth.status(server);
    // After a restart, too.
    const later = open();
    await login(later);

    assert.deepEqual([refused, status], ['login', 'connected']);
    assert.deepEqual(authority.authorizations.at(-1)?.get('scope')?.split(' ').sort(), ['read', 'write']);
    assert.equal(await call(later), 200);
  });
});

describe('logging out', () => {
  test('revokes the tokens and deletes everything', async (t) => {
    const { login, oauth, server, secrets, authority } = await oauthWorld(t);
    await login();
    const [access, refresh] = await Promise.all(
      ['access_token', 'refresh_token'].map((name) => secrets.get('oauth/github', name)),
    );

    const { isRevoked } = await oauth.logout(server);

    assert.equal(isRevoked, true);
    assert.deepEqual(authority.revoked, [refresh, access]);
    assert.deepEqual(await secrets.list('oauth/github'), []);
    assert.deepEqual([await oauth.status(server), await oauth.authorization(server)], ['none', undefined]);
  });

  for (const status of [404, 500]) {
    test(`deletes everything where the authorization server answers ${status}`, async (t) => {
      const { login, oauth, server, secrets, authority } = await oauthWorld(t);
      await login();
      authority.fail('revoke', { kind: 'status', status });

      assert.deepEqual(await oauth.logout(server), { isRevoked: false });
      assert.deepEqual(await secrets.list('oauth/github'), []);
    });
  }

  test('does nothing where nobody has logged in', async (t) => {
    const { oauth, server } = await oauthWorld(t);

    assert.deepEqual(await oauth.logout(server), { isRevoked: false });
  });
});

test('a server without OAuth gets no header', async (t) => {
  const { oauth, server } = await oauthWorld(t);
  const open = { ...server, auth: { type: 'none' as const } };

  assert.equal(await oauth.authorization(open), undefined);
  assert.equal(await oauth.onUnauthorized(open, 'Bearer'), 'login');
});

test('a login can be done again while another one waits', async (t) => {
  const { oauth, server, call } = await oauthWorld(t);
  const waiting = oauth.login(server, { signal: t.signal });
  await firstStep(waiting);

  await loginInBrowser(oauth.login(server, { signal: t.signal }));

  assert.equal(await call(), 200);
  await waiting.return({ issuer: '', scopes: [], isRefreshable: false });
});
