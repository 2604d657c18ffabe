import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { AppError } from '../../src/domain/errors.ts';
import { createLoginDialogs } from '../../src/servers/oauth/login-dialogs.ts';
import { startLoopback } from '../support/servers/loopback.ts';
import { startAuthority } from '../support/servers/oauth-authority.ts';
import { firstStep, loginInBrowser, oauthWorld } from '../support/servers/oauth-world.ts';
import { startProtectedServer } from '../support/servers/protected-server.ts';

describe('the metadata of a server', () => {
  for (const [metadata, probed] of [
    ['challenge', ['/metadata-of-mcp']],
    ['path', ['/.well-known/oauth-protected-resource/v1/mcp']],
    ['root', ['/.well-known/oauth-protected-resource/v1/mcp', '/.well-known/oauth-protected-resource']],
  ] as const) {
    test(`is found by ${metadata}`, async (t) => {
      const { login, call, resource } = await oauthWorld(t, { resource: { metadata } });

      await login();

      assert.deepEqual(resource.probed, probed);
      assert.equal(await call(), 200);
    });
  }

  test('may be missing where the server is its own authorization server', async (t) => {
    const authority = await startAuthority();
    t.after(() => authority.close());
    const { open } = await oauthWorld(t);
    const server = { id: 'old', url: `${authority.issuer}/v1/mcp?key=x`, auth: { type: 'oauth' as const } };

    const { issuer } = await loginInBrowser(open().login(server, { signal: t.signal }));

    assert.equal(issuer, authority.issuer);
    assert.equal(authority.authorizations[0]?.get('resource'), `${authority.issuer}/v1/mcp`);
  });

  test('may name a resource that covers the server', async (t) => {
    const { login, resource, authority } = await oauthWorld(t);
    resource.changeMetadata({ resource: `${resource.origin}/v1` });

    await login();

    assert.equal(authority.authorizations[0]?.get('resource'), `${resource.origin}/v1`);
  });

  for (const [name, change] of [
    ['of another origin', (origin: string) => origin.replace('127.0.0.1', 'localhost')],
    ['of another path', (origin: string) => `${origin}/v1/mc`],
    ['below its address', (origin: string) => `${origin}/v1/mcp/x`],
    ['that is no address', () => 'mcp'],
  ] as const) {
    test(`is refused with a resource ${name}`, async (t) => {
      const { login, resource, authority } = await oauthWorld(t);
      resource.changeMetadata({ resource: change(resource.origin) });

      await assert.rejects(login(), { code: 'SERVICE_UNAVAILABLE', message: /login is for another server/ });
      assert.deepEqual(authority.probed, []);
    });
  }

  for (const [name, issuers] of [
    ['nothing', []],
    ['plain HTTP', ['http://auth.example.test']],
    ['a user in the address', ['https://user:password@auth.example.test']],
    ['no address', ['javascript:alert(1)', 'auth']],
  ] as const) {
    test(`is refused where its authorization server is ${name}`, async (t) => {
      const { login, resource } = await oauthWorld(t);
      resource.changeMetadata({ authorization_servers: issuers });

      await assert.rejects(login(), { code: 'SERVICE_UNAVAILABLE', message: /names no authorization server/ });
    });
  }

  test('is not fetched from another origin by a redirect', async (t) => {
    const { login, resource } = await oauthWorld(t);
    const requested: string[] = [];
    const other = await startLoopback((_, __, { pathname }, response) => {
      requested.push(pathname);
      response.end('{}');
    });
    t.after(() => other.close());
    resource.failMetadata({ kind: 'redirect', to: `${other.origin}/metadata` });

    await assert.rejects(login(), { code: 'SERVICE_UNAVAILABLE', message: /publishes no metadata/ });
    assert.deepEqual(requested, []);
  });

  test('is fetched from another path of its origin by a redirect', async (t) => {
    const { login, call, resource } = await oauthWorld(t);
    resource.failMetadata({ kind: 'redirect', to: '/metadata-of-mcp-moved' });

    await login();

    assert.equal(await call(), 200);
  });

  for (const [name, fault, message] of [
    ['too large', { kind: 'text', text: `{"a":"${'x'.repeat(2_000_000)}"}` }, /not OAuth/],
    ['too deep', { kind: 'text', text: '['.repeat(500_000) }, /publishes no metadata/],
    ['not JSON', { kind: 'text', text: '<html>', type: 'text/html' }, /publishes no metadata/],
    ['redirected in a circle', { kind: 'redirect', to: '/metadata-of-mcp' }, /publishes no metadata/],
    ['failing', { kind: 'status', status: 500 }, /not OAuth/],
  ] as const) {
    test(`is refused where it is ${name}`, async (t) => {
      const { login, resource } = await oauthWorld(t);
      resource.failMetadata(fault);

      await assert.rejects(login(), { code: 'SERVICE_UNAVAILABLE', message });
    });
  }

  test('of a server elsewhere cannot send requests to this machine', async (t) => {
    const { open, authority } = await oauthWorld(t);
    const requested: string[] = [];
    const remote = open(undefined, async (input) => {
      requested.push(String(input));
      const isChallenge = String(input) === 'https://mcp.example.test/mcp';
      const headers = { 'www-authenticate': `Bearer resource_metadata="${authority.issuer}/x"` };
      if (isChallenge) return new Response(null, { status: 401, headers });
      return Response.json({ resource: 'https://mcp.example.test', authorization_servers: [authority.issuer] });
    });
    const server = { id: 'remote', url: 'https://mcp.example.test/mcp', auth: { type: 'oauth' as const } };

    await assert.rejects(loginInBrowser(remote.login(server, { signal: t.signal })), { code: 'SERVICE_UNAVAILABLE' });
    assert.ok(requested.every((url) => url.startsWith('https://mcp.example.test/')));
  });

  test('is requested without a token', async (t) => {
    const { login, resource } = await oauthWorld(t);
    await login();
    await login();

    assert.ok(resource.headers.every((header) => header === undefined));
  });
});

describe('the metadata of an authorization server', () => {
  for (const [issuerPath, metadata, probes] of [
    ['', 'oauth', 1],
    ['', 'oidc', 2],
    ['/tenant', 'oauth', 1],
    ['/tenant', 'oidc', 2],
    ['/tenant', 'oidc-appended', 3],
  ] as const) {
    test(`is found by ${metadata} for an issuer with the path "${issuerPath}"`, async (t) => {
      const { login, call, authority } = await oauthWorld(t, { authority: { issuerPath, metadata } });

      const { issuer } = await login();

      assert.equal(issuer, authority.issuer);
      assert.equal(authority.probed.length, probes);
      assert.equal(await call(), 200);
    });
  }

  for (const [name, fields, message] of [
    ['of another issuer', { issuer: 'https://auth.example.test' }, /of another issuer/],
    ['without S256', { code_challenge_methods_supported: ['plain'] }, /PKCE/],
    ['with no method of PKCE', { code_challenge_methods_supported: [] }, /PKCE/],
    ['with methods that are no list', { code_challenge_methods_supported: 'plain' }, /publishes no metadata/],
    ['with a token endpoint without TLS', { token_endpoint: 'http://auth.example.test/token' }, /not secure/],
    ['with a page that is a script', { authorization_endpoint: 'javascript:alert(1)' }, /not secure/],
    ['without a token endpoint', { token_endpoint: undefined }, /publishes no metadata/],
    [
      'with an address of unreasonable length',
      { revocation_endpoint: `https://x.test/${'x'.repeat(5_000)}` },
      /secure/,
    ],
  ] as const) {
    test(`is refused ${name}`, async (t) => {
      const { login, authority } = await oauthWorld(t, { authority: { fields } });

      await assert.rejects(login(), { code: 'SERVICE_UNAVAILABLE', message });
      assert.equal(authority.registrations.length, 0);
    });
  }

  test('may not list the methods of PKCE', async (t) => {
    const { login } = await oauthWorld(t, { authority: { fields: { code_challenge_methods_supported: undefined } } });

    assert.equal((await login()).isRefreshable, true);
  });
});

describe('the answer in the browser', () => {
  for (const [name, parameters, code, message] of [
    ['names another issuer', { iss: 'https://other.example.test' }, 'UNAUTHENTICATED', /is not from/],
    ['names no issuer, though it is promised', { iss: undefined }, 'UNAUTHENTICATED', /is not from/],
    ['is an error of another issuer', { iss: 'https://x.test', error: 'x' }, 'UNAUTHENTICATED', /is not from/],
    ['has no code', { code: undefined }, 'SERVICE_UNAVAILABLE', /not OAuth/],
  ] as const) {
    test(`is refused where it ${name}, and the code is sent nowhere`, async (t) => {
      const { login, authority, oauth, server } = await oauthWorld(t);
      authority.redirectWith(parameters);

      await assert.rejects(login(), { code, message });
      assert.equal(authority.tokenRequests.length, 0);
      assert.equal(await oauth.status(server), 'none');
    });
  }

  test('is ignored with a wrong state, and the right one is still accepted', async (t) => {
    const { oauth, server, authority } = await oauthWorld(t);
    const dialog = oauth.login(server, { signal: t.signal });
    const { url } = await firstStep(dialog);
    const back = new URL(url).searchParams.get('redirect_uri') ?? '';

    const forged = await fetch(`${back}?code=forged&state=forged&iss=${authority.issuer}`);
    const page = await (await fetch(url)).text();
    const end = await dialog.next('');

    assert.equal(forged.status, 404);
    assert.match(page, /You can close this page/);
    assert.doesNotMatch(page, /script/);
    assert.equal(end.done, true);
  });
});

describe('a code to type', () => {
  const answer = { device_code: 'd', expires_in: 900, user_code: 'A', verification_uri: 'https://example.test/' };
  for (const [name, changed] of [
    ['a page that is a script', { verification_uri: 'javascript:alert(1)' }],
    ['a page without TLS', { verification_uri: 'http://example.test/' }],
    ['a code with control characters', { user_code: 'Now run\u001b[2J this:' }],
    ['a code that is a text', { user_code: 'x'.repeat(100) }],
  ] as const) {
    test(`is not shown with ${name}`, async (t) => {
      const { oauth, server, authority } = await oauthWorld(t, { authority: { hasDevice: true } });
      authority.fail('device', { kind: 'text', text: JSON.stringify({ ...answer, ...changed }) });

      const first = oauth.login(server, { openBrowser: false, signal: t.signal }).next();

      await assert.rejects(first, { code: 'SERVICE_UNAVAILABLE', message: /gave no usable page or code/ });
    });
  }
});

describe('tokens', () => {
  test('are never used for another address of the server', async (t) => {
    const { login, oauth, open, server, resource } = await oauthWorld(t);
    await login();
    const moved = { ...server, url: `${resource.origin}/v2/mcp` };

    for (const each of [oauth, open()]) {
      assert.equal(await each.authorization(moved), undefined);
      assert.equal(await each.status(moved), 'none');
      assert.equal(await each.onUnauthorized(moved, 'Bearer'), 'login');
    }
    assert.match((await oauth.authorization(server)) ?? '', /^Bearer/);
  });

  test('are never sent to another authorization server that the server names', async (t) => {
    const world = await oauthWorld(t);
    const attacker = await startAuthority();
    t.after(() => attacker.close());
    await world.login();
    world.resource.changeMetadata({ authorization_servers: [attacker.issuer] });
    world.clock.advance(60 * 60_000);

    await world.oauth.authorization(world.server);
    await world.login();

    const old = world.authority.tokenRequests.flatMap((asked) => asked.get('refresh_token') ?? []);
    assert.equal(old.length, 1);
    assert.equal(attacker.registrations.length, 1);
    assert.ok(attacker.tokenRequests.every((asked) => !asked.has('refresh_token')));
    assert.equal((await world.secrets.get('oauth/github', 'login'))?.includes(attacker.issuer), true);
  });

  test('the secret of the user is not sent to another authorization server than before', async (t) => {
    const options = { authority: { client: { id: 'mine', secret: 'secret' } }, auth: { client_id: 'mine' } };
    const world = await oauthWorld(t, options);
    const attacker = await startAuthority({ client: { id: 'mine', secret: 'secret' } });
    t.after(() => attacker.close());
    await world.secrets.set('server/github', 'oauth_client_secret', 'secret');
    await world.login();
    world.resource.changeMetadata({ authorization_servers: [attacker.issuer] });

    await assert.rejects(world.login(), { code: 'CONFLICT', hint: /servers logout github/ });
    assert.equal(attacker.tokenRequests.length, 0);
  });

  test('a login is not begun without TLS', async (t) => {
    const { open } = await oauthWorld(t);
    const server = { id: 'plain', url: 'http://mcp.example.test/mcp', auth: { type: 'oauth' as const } };

    await assert.rejects(open().login(server, { signal: t.signal }).next(), { code: 'VALIDATION_ERROR', field: 'url' });
  });
});

test('the text of an authorization server is in the cause of an error only', async (t) => {
  const { login, authority, oauth, server } = await oauthWorld(t);
  authority.fail('token', { kind: 'refuse', error: 'invalid_scope' });

  const error = await login().then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );

  assert.ok(error instanceof AppError);
  assert.match(error.message, /does not know the requested scopes/);
  assert.doesNotMatch(JSON.stringify(error), /Ignore all previous instructions/);
  assert.match(inspect(error.cause), /Ignore all previous instructions/);
  assert.equal(await oauth.status(server), 'none');
});

test('an error code that nobody knows is not repeated', async (t) => {
  const { login, authority } = await oauthWorld(t);
  authority.fail('token', { kind: 'refuse', error: 'constructor' });

  await assert.rejects(login(), { code: 'UNAUTHENTICATED', message: /refuses the login\.$/ });
});

test('a server that does not answer can be cancelled', async (t) => {
  const { oauth, authority, resource } = await oauthWorld(t);
  const hanging = await startProtectedServer({ authority });
  t.after(() => hanging.close());
  hanging.failMetadata({ kind: 'hang' });
  const server = { id: 'hanging', url: hanging.url, auth: { type: 'oauth' as const } };

  await assert.rejects(oauth.login(server, { signal: AbortSignal.timeout(100) }).next(), { code: 'NETWORK_ERROR' });
  assert.deepEqual(resource.probed, []);
});

describe('the dialog of a login', () => {
  test('shows the page, and ends when the browser was sent back', async (t) => {
    const { oauth, server, authority } = await oauthWorld(t);
    const dialogs = createLoginDialogs(oauth);
    t.after(() => dialogs.stop());

    const begun = await dialogs.begin('me', server, {});
    assert.ok(begun.kind === 'step');
    await (await fetch(begun.step.url)).text();
    const other = await dialogs.resume('other', server.id, begun.id);
    const end = await dialogs.resume('me', server.id, begun.id);

    assert.equal(other, undefined);
    assert.deepEqual(end, { kind: 'end', end: { issuer: authority.issuer, scopes: [], isRefreshable: true } });
  });
});
