import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { mailOAuth } from '../../src/connectors/imap/oauth/index.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { mailText } from '../support/email/mail-session.ts';
import { startOAuthAuthority } from '../support/email/oauth-authority.ts';
import { startSyncedAccount } from '../support/email/synced-account.ts';
import { until } from '../support/mcp/shim-program.ts';

const authority = await startOAuthAuthority();
const server = await startMailServer({ oauth: { introspectionUrl: authority.introspectionUrl } });
after(async () => {
  await server.stop();
  await authority.close();
});

test('an access token that ends before it expires is replaced without a person', async (context) => {
  const account = await startSyncedAccount(context, {
    server,
    settings: { auth: { oauth: { client_id: 'client', issuer: authority.issuer } } },
    secrets: { 'work refresh_token': await refreshToken() },
  });
  await account.sync();

  for (const token of authority.issued.filter((each) => each.startsWith('access-'))) authority.revoke(token);
  const { session } = await account.live();
  server.imap.kick('alice');
  await session.closed;
  server.deliver('alice', mailText('later'), { folder: 'Archive' });
  await until('the email is stored, or the account is rejected', async () => {
    const isRejected = (await account.view()).state === 'rejected';
    return isRejected || (await account.email('later')) !== undefined;
  });

  assert.ok(await account.email('later'), (await account.view()).problem);
});

async function refreshToken(): Promise<string> {
  const { url, tokens } = await mailOAuth.signInByBrowser(
    { authority: { issuer: authority.issuer }, clientId: 'client', scopes: [], redirectUri: 'http://127.0.0.1/' },
    { signal: AbortSignal.timeout(60_000) },
  );
  await fetch(url);
  return (await tokens).refreshToken ?? assert.fail('no refresh token was given');
}
