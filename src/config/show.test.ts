import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from '../../tests/support/config.ts';
import { resolveReferences } from './references.ts';
import { describeConfig, maskedConfig, plainSecrets, secretValues } from './show.ts';

const SECRETS = {
  AUTH: 'owner-token-1234',
  HASH: 'b2'.repeat(32),
  API: 'api-hash-1234',
  XMPP: 'xmpp-password-1234',
  HOOK: 'hook-secret-1234',
  IMAP: 'imap-password-1234',
  CLAUDE: 'claude-key-1234',
};

const yaml = `
auth:
  token: ${SECRETS.AUTH}
  tokens: [{ name: ci, token_hash: ${SECRETS.HASH}, scopes: [chat:read, chat:send] }]
sources:
  tg: { kind: telegram, api_id: 1, api_hash: ${SECRETS.API} }
  ops: { kind: xmpp, jid: a@example.test, password: ${SECRETS.XMPP} }
  hook: { kind: webhook, secret: ${SECRETS.HOOK} }
accounts:
  work: { email: a@example.test, imap: { host: h }, auth: { password: ${SECRETS.IMAP} } }
claude:
  api_key: \${secret:CLAUDE}
  base_url: https://alice:hunter2@example.test/
`;

async function rowsBy(given: Parameters<typeof load>[0]) {
  return new Map(describeConfig(await load(given)).map(({ key, ...row }) => [key, row]));
}

describe('the shown configuration', () => {
  test('has the origin of each value', async () => {
    const env = { SWITCHBOARD_LOGGING__LEVEL: 'debug', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' };

    const rows = await rowsBy({ yaml: 'server:\n\n  name: mine', env, flags: { 'logging.format': 'pretty' } });

    assert.deepEqual(rows.get('server.name'), { value: 'mine', origin: 'config.yaml:3' });
    assert.deepEqual(rows.get('logging.level'), { value: 'debug', origin: 'SWITCHBOARD_LOGGING__LEVEL' });
    assert.deepEqual(rows.get('claude.base_url'), { value: 'http://127.0.0.1:1', origin: 'ANTHROPIC_BASE_URL' });
    assert.deepEqual(rows.get('logging.format'), { value: 'pretty', origin: 'flag --set logging.format' });
    assert.deepEqual(rows.get('limits.max_concurrent'), { value: 100, origin: 'default' });
    assert.deepEqual(rows.get('claude.model'), { value: null, origin: 'default' });
    assert.deepEqual(rows.get('auth.tokens'), { value: [], origin: 'default' });
    assert.deepEqual(rows.get('sources'), { value: {}, origin: 'default' });
  });

  test('the key of an IRC channel is a secret, its name is not', async () => {
    const irc = `sources: { net: { kind: irc, host: h, nick: n, channels: ["#open", "#closed key-1234", "#kept \${secret:KEY}"] } }`;
    const loaded = await load({ yaml: irc });

    const rows = new Map(describeConfig(loaded).map(({ key, value }) => [key, value]));

    assert.deepEqual(rows.get('sources.net.channels'), ['#open', '#closed ••••', `#kept \${secret:KEY}`]);
    assert.deepEqual(secretValues(loaded), ['key-1234']);
    assert.deepEqual(plainSecrets(loaded), ['sources.net.channels']);
  });

  test('entries of sources, accounts and tokens are shown key by key', async () => {
    const rows = await rowsBy({ yaml });

    assert.deepEqual(rows.get('auth.tokens[0].scopes'), { value: ['chat:read', 'chat:send'], origin: 'config.yaml:4' });
    assert.deepEqual(rows.get('sources.tg.api_id'), { value: 1, origin: 'config.yaml:6' });
    assert.deepEqual(rows.get('accounts.work.imap.port'), { value: 993, origin: 'default' });
    assert.deepEqual(rows.get('accounts.work.auth.user'), { value: null, origin: 'default' });
  });

  test('a secret is shown as set, a reference to one by its name', async () => {
    const rows = await rowsBy({ yaml });

    assert.deepEqual(rows.get('auth.token'), { value: '••••', origin: 'config.yaml:3' });
    assert.deepEqual(rows.get('claude.api_key'), { value: `\${secret:CLAUDE}`, origin: 'config.yaml:12' });
    assert.deepEqual(rows.get('claude.base_url')?.value, 'https://••••@example.test/');
  });

  test('no output format contains a secret', async () => {
    const loaded = await load({ yaml });
    const config = await resolveReferences(loaded, async () => SECRETS.CLAUDE);

    const shown = JSON.stringify([describeConfig({ ...loaded, config }), maskedConfig({ ...loaded, config })]);

    const told = [...Object.values(SECRETS), 'hunter2'].filter((secret) => shown.includes(secret));
    assert.deepEqual(told, []);
  });

  test('as one object it omits unset keys', async () => {
    const loaded = await load({ yaml: 'sources:\n  w: { kind: whatsapp }\nauth: { token: t }' });

    const { sources, auth, claude, accounts } = maskedConfig(loaded);

    assert.partialDeepStrictEqual([sources, accounts], [{ w: { kind: 'whatsapp' } }, {}]);
    assert.deepEqual(
      ['max_tokens', 'model', 'api_key'].map((key) => key in (claude as object)),
      [true, false, false],
    );
    assert.deepEqual(auth, { token: '••••', tokens: [] });
  });

  test('its secrets can be listed, to be masked elsewhere', async () => {
    const loaded = await load({ yaml });

    const { CLAUDE: _, ...plain } = SECRETS;
    assert.deepEqual(new Set(secretValues(loaded)), new Set(Object.values(plain)));
  });
});

describe('references to secrets', () => {
  const referring = `auth:\n  token: \${secret:A}\nclaude:\n  base_url: https://\${secret:A}:\${secret:B}@example.test`;

  test('are replaced by the value in the store, which is not resolved again', async () => {
    const loaded = await load({ yaml: referring });
    const known = new Map([
      ['A', `\${secret:B}`],
      ['B', '$&'],
    ]);

    const config = await resolveReferences(loaded, async (name) => known.get(name));

    assert.equal(config.auth.token, `\${secret:B}`);
    assert.partialDeepStrictEqual(config.claude, { base_url: `https://\${secret:B}:$&@example.test` });
    assert.equal(loaded.config.auth.token, `\${secret:A}`);
  });

  test('that the store does not have are reported with key and line', async () => {
    const loaded = await load({ yaml: referring });

    await assert.rejects(
      resolveReferences(loaded, async (name) => (name === 'A' ? 'x' : undefined)),
      {
        code: 'VALIDATION_ERROR',
        message: /claude\.base_url \(.*config\.yaml:4:3\): refers to the secret B, which is not/,
      },
    );
  });

  test('a configuration without references does not read the store', async () => {
    const loaded = await load({});

    const config = await resolveReferences(loaded, () => assert.fail('asked'));

    assert.equal(config, loaded.config);
  });
});
