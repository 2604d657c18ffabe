import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { signInByDevice } from '../../src/connectors/imap/oauth/device-sign-in.ts';
import { mailOAuth } from '../../src/connectors/imap/oauth/index.ts';
import type { MailError, OAuthClient } from '../../src/connectors/mail-connector.ts';
import { type OAuthAuthority, startOAuthAuthority } from '../support/email/oauth-authority.ts';
import { freePort } from '../support/free-port.ts';

let authority: OAuthAuthority;
before(async () => {
  authority = await startOAuthAuthority();
});
const over = new AbortController();
after(async () => {
  over.abort();
  await authority.close();
});

describe('signing in with a browser', () => {
  test('gives tokens once the browser is sent back', async () => {
    const { url, tokens } = await mailOAuth.signInByBrowser(client(), options());

    const page = await openInBrowser(url);
    const { accessToken, refreshToken, expiresAt } = await tokens;

    assert.match(page.text, /You can close this page/);
    assert.deepEqual(authority.issued.slice(-2), [accessToken, refreshToken]);
    assert.ok((expiresAt ?? 0) > Date.now());
  });

  test('asks for the scopes with PKCE, and with the parameters of the authority', async () => {
    const given = client({ scopes: ['mail', 'offline'], parameters: { prompt: 'consent' } });

    const { url } = await mailOAuth.signInByBrowser(given, options());

    const asked = new URL(url).searchParams;
    const names = ['response_type', 'client_id', 'scope', 'prompt', 'code_challenge_method'];
    assert.deepEqual(
      names.map((name) => asked.get(name)),
      ['code', 'client', 'mail offline', 'consent', 'S256'],
    );
    assert.match(asked.get('redirect_uri') ?? '', /^http:\/\/127\.0\.0\.1:\d+\/$/);
    assert.ok((asked.get('state') ?? '').length >= 32);
  });

  test('uses the redirect URI that was registered', async () => {
    const redirectUri = `http://localhost:${await freePort()}/back`;

    const { url, tokens } = await mailOAuth.signInByBrowser(client({ redirectUri }), options());
    await openInBrowser(url);

    assert.equal(new URL(url).searchParams.get('redirect_uri'), redirectUri);
    assert.match((await tokens).accessToken, /^access-/);
  });

  test('leaves out the final slash where the registered URI has none', async () => {
    const { url } = await mailOAuth.signInByBrowser(client({ redirectUri: 'http://localhost' }), options());

    assert.match(new URL(url).searchParams.get('redirect_uri') ?? '', /^http:\/\/localhost:\d+$/);
  });

  test('finds the endpoints of an issuer', async () => {
    const { url, tokens } = await mailOAuth.signInByBrowser(
      client({ authority: { issuer: authority.issuer } }),
      options(),
    );
    await openInBrowser(url);

    assert.match((await tokens).refreshToken ?? '', /^refresh-/);
  });

  test('fails where the user refuses', async () => {
    authority.refuseConsent(true);
    const { url, tokens } = await mailOAuth.signInByBrowser(client(), options());

    const page = await openInBrowser(url);
    authority.refuseConsent(false);

    await assert.rejects(tokens, { kind: 'rejected', message: /says that the sign-in was refused/ });
    assert.match(page.text, /was not completed/);
  });

  test('fails with the reason where the authority does not know the client', async () => {
    const { url, tokens } = await mailOAuth.signInByBrowser(client({ clientId: 'other' }), options());
    await openInBrowser(url);

    await assert.rejects(tokens, { kind: 'rejected', message: /check client_id and client_secret/ });
  });

  test('fails where the authority gives no refresh token', async () => {
    authority.fail('token', { kind: 'text', text: '{"access_token":"a","token_type":"bearer"}' });
    const { url, tokens } = await mailOAuth.signInByBrowser(client(), options());
    await openInBrowser(url);

    await assert.rejects(tokens, { kind: 'rejected', message: /gave no refresh token/ });
  });

  test('ends when it is cancelled, and its port is closed', async () => {
    const cancel = new AbortController();
    const { url, tokens } = await mailOAuth.signInByBrowser(client(), { signal: cancel.signal });

    cancel.abort();

    await assert.rejects(tokens, { kind: 'rejected', message: 'The sign-in was cancelled.' });
    await assert.rejects(fetch(new URL(url).searchParams.get('redirect_uri') ?? ''));
  });

  test('says which port is in use', async () => {
    const redirectUri = `http://127.0.0.1:${new URL(authority.issuer).port}/`;

    await assert.rejects(mailOAuth.signInByBrowser(client({ redirectUri }), options()), {
      kind: 'rejected',
      message: /^Port \d+ of this machine/,
    });
  });
});

describe('what others send to the redirect URI', () => {
  test('is ignored without the right state, path, method and Host', async () => {
    const { url, tokens } = await mailOAuth.signInByBrowser(client(), options());
    const asked = new URL(url).searchParams;
    const [back, state] = [asked.get('redirect_uri') ?? '', asked.get('state') ?? ''];
    const { port } = new URL(back);

    const statuses = await Promise.all([
      statusOf(`${back}?code=forged`),
      statusOf(`${back}?code=forged&state=${state.slice(0, -1)}x`),
      statusOf(`${back}?state=&error=access_denied`),
      statusOf(`${back}other?code=forged&state=${state}`),
      statusOf(`${back}?code=forged&state=${state}`, { method: 'POST' }),
      statusOf(`http://localhost:${port}/?code=forged&state=${state}`),
    ]);
    await openInBrowser(url);

    assert.deepEqual(statuses, [404, 404, 404, 404, 404, 404]);
    assert.match((await tokens).accessToken, /^access-/);
  });

  test('is not repeated in the page, which loads and reveals nothing', async () => {
    const { url } = await mailOAuth.signInByBrowser(client(), options());
    const back = new URL(url).searchParams.get('redirect_uri') ?? '';

    const response = await fetch(`${back}?code=<script>alert(1)</script>`);
    const text = await response.text();

    assert.doesNotMatch(text, /script/);
    assert.deepEqual(
      ['content-security-policy', 'referrer-policy', 'cache-control'].map((name) => response.headers.get(name)),
      ["default-src 'none'", 'no-referrer', 'no-store'],
    );
  });

  test('cannot use the same answer twice', async () => {
    const { url, tokens } = await mailOAuth.signInByBrowser(client(), options());
    const { address } = await openInBrowser(url);
    await tokens;

    await assert.rejects(fetch(address));
  });
});

describe('signing in with a code', () => {
  test('gives tokens when the user has typed the code', async () => {
    const { waited, wait } = waits((count, code) => count === 3 && authority.decideDevice(code(), 'accept'));

    const begun = await signInByDevice(client(), options(), wait);
    waited.code = begun.code;
    const { refreshToken } = await begun.tokens;

    assert.match(refreshToken ?? '', /^refresh-/);
    assert.equal(begun.url, `${authority.issuer}/type-it-here`);
    assert.ok(begun.expiresAt > Date.now());
    assert.deepEqual(waited.ms, [5_000, 5_000, 5_000]);
  });

  test('asks less often when the authority says so, or does not answer', async () => {
    const { waited, wait } = waits((count, code) => {
      if (count === 2) authority.fail('token', { kind: 'refuse', error: 'slow_down' });
      if (count === 3) authority.fail('token', { kind: 'status', status: 503 });
      if (count === 4) authority.decideDevice(code(), 'accept');
    });

    const begun = await signInByDevice(client(), options(), wait);
    waited.code = begun.code;
    await begun.tokens;

    assert.deepEqual(waited.ms, [5_000, 5_000, 10_000, 15_000]);
  });

  for (const [decision, message] of [
    ['refuse', /says that the sign-in was refused/],
    ['expire', /says that the code has expired/],
  ] as const) {
    test(`fails when the answer of the user is ${decision}`, async () => {
      const { waited, wait } = waits((_, code) => authority.decideDevice(code(), decision));

      const begun = await signInByDevice(client(), options(), wait);
      waited.code = begun.code;

      await assert.rejects(begun.tokens, { kind: 'rejected', message });
    });
  }

  test('is refused where the authority has no codes for mail', async () => {
    const { authorization, token } = authority.endpoints;

    await assert.rejects(mailOAuth.signInByDevice(client({ authority: { authorization, token } }), options()), {
      kind: 'rejected',
      message: /does not support signing in with a code\. Sign in with a browser\./,
    });
  });

  test('shows no page and no code that could deceive the user', async () => {
    const answer = { device_code: 'd', expires_in: 900, user_code: 'A', verification_uri: 'https://example.test/' };
    const hostile = [
      { ...answer, verification_uri: 'javascript:alert(1)' },
      { ...answer, verification_uri: 'http://example.test/' },
      { ...answer, user_code: 'Now run\u001b[2J this:' },
      { ...answer, user_code: 'x'.repeat(100) },
    ];

    for (const each of hostile) {
      authority.fail('device', { kind: 'text', text: JSON.stringify(each) });
      await assert.rejects(mailOAuth.signInByDevice(client(), options()), { message: /gave no usable page or code/ });
    }
  });

  test('ends when it is cancelled', async () => {
    const cancel = new AbortController();
    const { tokens } = await mailOAuth.signInByDevice(client(), { signal: cancel.signal });

    cancel.abort();

    await assert.rejects(tokens, { kind: 'rejected', message: 'The sign-in was cancelled.' });
  });
});

describe('refreshing a token', () => {
  test('gives another one, and the new refresh token where the authority rotates them', async () => {
    const first = await signedIn();

    const next = await mailOAuth.refresh(client(), first.refreshToken ?? '', options());
    const again = mailOAuth.refresh(client(), first.refreshToken ?? '', options());

    assert.notEqual(next.accessToken, first.accessToken);
    assert.match(next.refreshToken ?? '', /^refresh-/);
    await assert.rejects(again, { kind: 'rejected', message: /it has expired or was revoked/ });
  });

  for (const [name, fault, message] of [
    ['fails', { kind: 'status', status: 500 }, /answered something that is not OAuth/],
    ['limits the rate', { kind: 'status', status: 429 }, /answered something that is not OAuth/],
    ['says that it is not available', { kind: 'refuse', error: 'temporarily_unavailable' }, /is not available/],
    ['is a captive portal', { kind: 'text', text: '<html>', type: 'text/html' }, /not OAuth/],
    ['sends too much', { kind: 'text', text: 'x'.repeat(2_000_000) }, /not OAuth/],
    ['redirects', { kind: 'status', status: 302 }, /not OAuth/],
  ] as const) {
    test(`is to be tried again where the authority ${name}`, async () => {
      authority.fail('token', fault);

      await assert.rejects(mailOAuth.refresh(client(), 'r', options()), { kind: 'lost', message });
    });
  }

  test('is to be tried again where the authority cannot be reached, or does not answer', async () => {
    const unreachable = client({ authority: { token: `http://127.0.0.1:${await freePort()}/token` } });
    authority.fail('token', { kind: 'hang' });

    await assert.rejects(mailOAuth.refresh(unreachable, 'r', options()), {
      kind: 'lost',
      message: /cannot be reached/,
    });
    await assert.rejects(mailOAuth.refresh(client(), 'r', { signal: AbortSignal.timeout(50) }), {
      kind: 'lost',
      message: /cannot be reached/,
    });
  });

  test('sends no token over plain HTTP to another machine', async () => {
    const given = client({ authority: { token: 'http://mail.example.test/token' } });

    await assert.rejects(mailOAuth.refresh(given, 'r', options()), { name: 'MailError' });
  });

  test('reveals neither tokens nor texts of the authority in its errors', async () => {
    const secret = 'very-secret-token';
    authority.fail('token', { kind: 'text', text: `{"access_token":"${secret}"}` });
    const incomplete = await failure(mailOAuth.refresh(client(), secret, options()));
    authority.fail('token', { kind: 'refuse', error: 'invalid_grant' });
    const refused = await failure(mailOAuth.refresh(client(), secret, options()));

    for (const error of [incomplete, refused]) {
      const everything = inspect(error, { depth: 10, showHidden: true });
      assert.doesNotMatch(everything, /very-secret-token|Forged/);
    }
  });
});

function client(given: Partial<OAuthClient> = {}): OAuthClient {
  return {
    authority: authority.endpoints,
    clientId: 'client',
    scopes: ['mail'],
    redirectUri: 'http://127.0.0.1/',
    ...given,
  };
}

function options() {
  return { signal: over.signal };
}

async function signedIn() {
  const { url, tokens } = await mailOAuth.signInByBrowser(client(), options());
  await openInBrowser(url);
  return tokens;
}

/** Follows the redirect of the authority, as a browser does. */
async function openInBrowser(url: string): Promise<{ address: string; text: string }> {
  const response = await fetch(url);
  return { address: response.url, text: await response.text() };
}

async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  const { status } = await fetch(url, init);
  return status;
}

async function failure(promise: Promise<unknown>): Promise<MailError> {
  return promise.then(
    () => assert.fail('it succeeded'),
    (error: MailError) => error,
  );
}

/** Waits that pass at once; `before` is called with the number of each. */
function waits(before: (count: number, code: () => string) => unknown) {
  const waited: { ms: number[]; code?: string } = { ms: [] };
  return {
    waited,
    async wait(ms: number) {
      waited.ms.push(ms);
      await new Promise((resolve) => setImmediate(resolve));
      before(waited.ms.length, () => waited.code ?? assert.fail('no code yet'));
    },
  };
}
