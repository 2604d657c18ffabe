import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountOf, secretsInMemory } from '../../../tests/support/email/account-samples.ts';
import { manualClock } from '../../../tests/support/manual-clock.ts';
import { MailError, type MailOAuth, type OAuthTokens } from '../../connectors/mail-connector.ts';
import { createAccessTokens } from './access-tokens.ts';

const ACCOUNT = accountOf('work', { auth: { oauth: { provider: 'microsoft', client_id: 'mine' } } });
const HOUR = 60 * 60_000;

describe('access tokens', () => {
  test('are refreshed once for all callers, and then used until shortly before they expire', async () => {
    const { tokens, requests, clock } = world();

    const both = await Promise.all([tokens.get(ACCOUNT), tokens.get(ACCOUNT)]);
    clock.advance(HOUR - 2 * 60_000);
    const later = await tokens.get(ACCOUNT);
    clock.advance(90_000);
    const expired = await tokens.get(ACCOUNT);

    assert.deepEqual([...both, later, expired], ['access-1', 'access-1', 'access-1', 'access-2']);
    assert.deepEqual(requests, ['refresh-0', 'refresh-1']);
  });

  test('are given out only after a rotated refresh token is stored', async () => {
    const { tokens, secrets } = world();

    await tokens.get(ACCOUNT);

    assert.equal(secrets.values.get('work refresh_token'), 'refresh-1');
  });

  test('are not given out if the rotated refresh token cannot be stored', async () => {
    const { tokens, secrets } = world();
    secrets.set = () => Promise.reject(new Error('the disk is full'));

    await assert.rejects(tokens.get(ACCOUNT), /the disk is full/);
  });

  test('are refreshed when a server has refused one, but not because of an older one', async () => {
    const { tokens } = world();
    const first = await tokens.get(ACCOUNT);

    tokens.discard(ACCOUNT, 'some older token');
    const same = await tokens.get(ACCOUNT);
    tokens.discard(ACCOUNT, first);
    const next = await tokens.get(ACCOUNT);

    assert.deepEqual([first, same, next], ['access-1', 'access-1', 'access-2']);
  });

  test('need a sign-in where there is no refresh token, or the authority refuses it', async () => {
    const none = world({ refreshToken: '' });
    const refused = world({ refresh: () => Promise.reject(new MailError('rejected', 'The authority refuses it.')) });

    await assert.rejects(none.tokens.get(ACCOUNT), {
      kind: 'rejected',
      message: 'Nobody has signed in to it yet. Sign in with `switchboard email login work`.',
    });
    await assert.rejects(refused.tokens.get(ACCOUNT), {
      kind: 'rejected',
      message: 'The authority refuses it. Sign in with `switchboard email login work`.',
    });
  });

  test('are requested again after a failure that may pass', async () => {
    const answers = [new MailError('lost', 'The authority does not answer.'), { accessToken: 'a' }];
    const { tokens } = world({
      refresh: async () => {
        const answer = answers.shift();
        if (answer instanceof MailError) throw answer;
        return answer as OAuthTokens;
      },
    });

    await assert.rejects(tokens.get(ACCOUNT), { kind: 'lost' });

    assert.equal(await tokens.get(ACCOUNT), 'a');
  });

  test('of before a sign-in or sign-out are not kept, even if they arrive after it', async () => {
    const late = Promise.withResolvers<OAuthTokens>();
    const { tokens, secrets } = world({ refresh: () => late.promise });
    const before = tokens.get(ACCOUNT);

    await tokens.accept(ACCOUNT, { accessToken: 'signed in', refreshToken: 'new', expiresAt: Number.MAX_VALUE });
    late.resolve({ accessToken: 'old', refreshToken: 'old' });

    await assert.rejects(before, { kind: 'lost' });
    assert.equal(await tokens.get(ACCOUNT), 'signed in');
    assert.equal(secrets.values.get('work refresh_token'), 'new');
  });
});

interface Given {
  refreshToken?: string;
  refresh?: MailOAuth['refresh'];
}

/** An authority that rotates refresh tokens: each can be used once. */
function world({ refreshToken = 'refresh-0', refresh }: Given = {}) {
  const clock = manualClock();
  const secrets = secretsInMemory(refreshToken === '' ? {} : { 'work refresh_token': refreshToken });
  const requests: string[] = [];
  const rotating: MailOAuth['refresh'] = async (_, token) => {
    requests.push(token);
    const number = requests.length;
    return { accessToken: `access-${number}`, refreshToken: `refresh-${number}`, expiresAt: clock.now() + HOUR };
  };
  const oauth = { refresh: refresh ?? rotating } as MailOAuth;
  return { clock, secrets, requests, tokens: createAccessTokens({ oauth: async () => oauth, secrets, clock }) };
}
