import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CONFIG_FILE, load, problemsOf } from '../../tests/support/config.ts';
import { ConfigError } from './problems.ts';

describe('CORE-11 the environment', () => {
  test('two underscores separate nested sections', async () => {
    const yaml = 'accounts:\n  work: { email: a@example.test, imap: { host: one } }';
    const env = { SWITCHBOARD_AUTH__TOKEN: 't', SWITCHBOARD_ACCOUNTS__WORK__IMAP__HOST: 'two' };

    const { config } = await load({ yaml, env });

    assert.deepEqual([config.auth.token, config.accounts.work?.imap?.host], ['t', 'two']);
  });

  test('texts are converted to the type of the key', async () => {
    const env = {
      SWITCHBOARD_SERVERS__CALL_TIMEOUT_MS: ' 5000 ',
      SWITCHBOARD_DAEMON__AUTOSTART: 'No',
      SWITCHBOARD_TELEMETRY__METRICS: '1',
      SWITCHBOARD_MCP__ALLOWED_HOSTS: 'a.example.test, b.example.test,',
      SWITCHBOARD_MCP__ALLOWED_ORIGINS: '["https://a.example.test"]',
      SWITCHBOARD_AUTH__TOKENS: `[{"name":"ci","token_hash":"${'a1'.repeat(32)}","scopes":["chat:read"]}]`,
      SWITCHBOARD_SOURCES: '{"hook":{"kind":"webhook"}}',
      SWITCHBOARD_SOURCES__LIBERA__KIND: 'irc',
      SWITCHBOARD_SOURCES__LIBERA__HOST: 'irc.example.test',
      SWITCHBOARD_SOURCES__LIBERA__NICK: '42',
      SWITCHBOARD_SOURCES__LIBERA__PORT: '6667',
      SWITCHBOARD_SOURCES__LIBERA__TLS: 'off',
      SWITCHBOARD_ACCOUNTS__A: '{"email":"a@example.test","imap":{"host":"h"}}',
      SWITCHBOARD_ACCOUNTS__A__IMAP__TLS: 'starttls',
    };

    const { config } = await load({ env });

    assert.equal(config.servers.call_timeout_ms, 5000);
    assert.deepEqual([config.daemon.autostart, config.telemetry.metrics], [false, true]);
    assert.deepEqual(config.mcp.allowed_hosts, ['a.example.test', 'b.example.test']);
    assert.deepEqual(config.mcp.allowed_origins, ['https://a.example.test']);
    assert.equal(config.auth.tokens[0]?.name, 'ci');
    assert.deepEqual(config.sources.hook, { kind: 'webhook' });
    assert.deepEqual(config.sources.libera, {
      kind: 'irc',
      history_days: 365,
      history_messages: 100_000,
      host: 'irc.example.test',
      nick: '42',
      port: 6667,
      tls: false,
      channels: [],
    });
    assert.deepEqual(config.accounts.a?.imap, { host: 'h', port: 993, tls: 'starttls' });
  });

  test('an entry whose id has a dash is named with an underscore', async () => {
    const yaml =
      'sources:\n  my-hook: { kind: webhook }\n  my_hook: { kind: webhook }\n  other-hook: { kind: webhook }';
    const env = { SWITCHBOARD_SOURCES__MY_HOOK__NAME: 'exact', SWITCHBOARD_SOURCES__OTHER_HOOK__NAME: 'dashed' };

    const { config } = await load({ yaml, env });

    const names = Object.entries(config.sources).map(([id, { name }]) => [id, name]);
    assert.deepEqual(names, [
      ['my-hook', undefined],
      ['my_hook', 'exact'],
      ['other-hook', 'dashed'],
    ]);
  });

  test('a variable that ends in _FILE names the file with the value; the trailing newline is removed', async () => {
    const env = { SWITCHBOARD_AUTH__TOKEN_FILE: '/run/secrets/token' };

    const { config, origins } = await load({ env, files: { '/run/secrets/token': 'one\ntwo\r\n' } });

    assert.equal(config.auth.token, 'one\ntwo');
    assert.deepEqual(origins.get('auth.token'), { kind: 'variable', name: 'SWITCHBOARD_AUTH__TOKEN_FILE' });
  });

  test('setting both a value and its file is an error, and so is a file that does not exist', async () => {
    const env = {
      SWITCHBOARD_AUTH__TOKEN: 'a',
      SWITCHBOARD_AUTH__TOKEN_FILE: '/here',
      SWITCHBOARD_CLAUDE__API_KEY_FILE: '/not-here',
    };

    const problems = await problemsOf({ env, files: { '/here': 'b' } });

    assert.deepEqual(problems, [
      'SWITCHBOARD_AUTH__TOKEN_FILE: both it and the variable without _FILE are set',
      'SWITCHBOARD_CLAUDE__API_KEY_FILE: the file that it names is not there or cannot be read',
    ]);
  });

  test('an empty variable is treated as unset', async () => {
    const { config } = await load({ yaml: 'auth: { token: t }', env: { SWITCHBOARD_AUTH__TOKEN: '' } });

    assert.equal(config.auth.token, 't');
  });

  test('an invalid value is reported with the name of the variable', async () => {
    const env = {
      SWITCHBOARD_LIMITS__MAX_CONCURRENT: 'many',
      SWITCHBOARD_AUTH: 'x',
      SWITCHBOARD_DAEMON__AUTOSTART: 'maybe',
    };

    const problems = await problemsOf({ env });

    assert.deepEqual(problems, [
      'auth (SWITCHBOARD_AUTH): must be a mapping of keys to values',
      'limits.max_concurrent (SWITCHBOARD_LIMITS__MAX_CONCURRENT): must be a whole number from 1 to 1000000',
      'daemon.autostart (SWITCHBOARD_DAEMON__AUTOSTART): must be true or false',
    ]);
  });

  test('a variable for a key that does not exist is an error that names it', async () => {
    const env = {
      SWITCHBOARD_LIMITS__MAX_CONCURENT: '1',
      SWITCHBOARD_LIMTS__MAX_CONCURRENT: '1',
      SWITCHBOARD_SOURCES__X__NO_SUCH_THING: '1',
    };

    const problems = await problemsOf({ env });

    assert.deepEqual(problems, [
      'SWITCHBOARD_LIMITS__MAX_CONCURENT: no key has this name; did you mean SWITCHBOARD_LIMITS__MAX_CONCURRENT?',
      'SWITCHBOARD_LIMTS__MAX_CONCURRENT: no key has this name; did you mean SWITCHBOARD_LIMITS__MAX_CONCURRENT?',
      'SWITCHBOARD_SOURCES__X__NO_SUCH_THING: no key has this name',
    ]);
  });

  test('any other unknown SWITCHBOARD_ variable is a warning', async () => {
    const env = { SWITCHBOARD_AUTH_TOKEN: 'x', SWITCHBOARD_LOG_LEVL: 'x', SWITCHBOARD_COLOUR: 'x', SWITCHBOARD_: 'x' };

    const { warnings } = await load({ env });

    assert.deepEqual(warnings, [
      'SWITCHBOARD_AUTH_TOKEN is not a variable of Switchboard; did you mean SWITCHBOARD_AUTH__TOKEN?',
      'SWITCHBOARD_LOG_LEVL is not a variable of Switchboard; did you mean SWITCHBOARD_LOG_LEVEL?',
      'SWITCHBOARD_COLOUR is not a variable of Switchboard',
      'SWITCHBOARD_ is not a variable of Switchboard',
    ]);
  });

  test('variables that other parts of the program read are ignored', async () => {
    const env = {
      SWITCHBOARD_HOME: '/x',
      SWITCHBOARD_API_TOKEN: 'x',
      SWITCHBOARD_PASSPHRASE: 'x',
      SWITCHBOARD_PASSPHRASE_FILE: '/x',
      SWITCHBOARD_SECRETS_PROVIDER: 'file',
      PATH: '/bin',
    };

    const { warnings, origins } = await load({ env });

    assert.deepEqual([warnings, origins.size], [[], 0]);
  });

  test('a variable below a value that is not a mapping is an error', async () => {
    const problems = await problemsOf({ yaml: 'auth: x', env: { SWITCHBOARD_AUTH__TOKEN: 't' } });

    assert.deepEqual(problems, [
      `auth (${CONFIG_FILE}:1:1): must be a mapping of keys to values`,
      'auth.token (SWITCHBOARD_AUTH__TOKEN): a key above it holds something that is not a mapping',
    ]);
  });
});

describe('CORE-11 alternative names of keys', () => {
  test('exist for the Anthropic settings, the log level and the server name', async () => {
    const env = {
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      SWITCHBOARD_LOG_LEVEL: 'warn',
      SWITCHBOARD_SERVER_NAME: 'mine',
    };

    const { config, origins, warnings } = await load({ yaml: 'claude: { api_key: other }', env });

    assert.deepEqual([config.claude.api_key, config.claude.base_url], ['key', 'http://127.0.0.1:1']);
    assert.deepEqual([config.logging.level, config.server.name, warnings], ['warn', 'mine', []]);
    assert.deepEqual(origins.get('claude.api_key'), { kind: 'variable', name: 'ANTHROPIC_API_KEY' });
  });

  test('a key’s own variable takes precedence over its alternative names', async () => {
    const env = {
      ANTHROPIC_API_KEY: 'other',
      SWITCHBOARD_CLAUDE__API_KEY: 'own',
      SWITCHBOARD_SERVER_DEBUG: 'true',
      SWITCHBOARD_LOG_LEVEL: 'warn',
      SWITCHBOARD_SERVER__LOG_LEVEL: 'error',
      SWITCHBOARD_LOGGING__LEVEL: 'trace',
    };

    const { config } = await load({ env });

    assert.deepEqual([config.claude.api_key, config.logging.level], ['own', 'trace']);
  });

  test('SWITCHBOARD_SERVER_DEBUG sets the level only when it is true', async () => {
    const on = await load({ yaml: 'logging: { level: warn }', env: { SWITCHBOARD_SERVER_DEBUG: '1' } });
    const off = await load({ yaml: 'logging: { level: warn }', env: { SWITCHBOARD_SERVER_DEBUG: 'false' } });

    assert.deepEqual([on.config.logging.level, off.config.logging.level], ['debug', 'warn']);
  });
});

describe('any environment', () => {
  const name = fc.oneof(
    fc.string().map((text) => `SWITCHBOARD_${text}`),
    fc
      .array(
        fc.constantFrom(
          'AUTH',
          'TOKEN',
          'TOKENS',
          'SOURCES',
          'ACCOUNTS',
          'X',
          'KIND',
          'IMAP',
          'PORT',
          'LIMITS',
          '',
          '__PROTO__',
        ),
        { minLength: 1, maxLength: 5 },
      )
      .map((parts) => `SWITCHBOARD_${parts.join('__')}`),
    fc.constantFrom('SWITCHBOARD_AUTH__TOKEN_FILE', 'SWITCHBOARD_SERVER_DEBUG', 'ANTHROPIC_BASE_URL'),
  );
  const value = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom(
      'true',
      '1',
      'irc',
      '{"kind":"irc"}',
      '{"__proto__":{"kind":"irc"}}',
      '['.repeat(5000),
      `\${env:PATH}`,
    ),
  );

  test('results in a configuration or a ConfigError, and changes no prototype', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 8 }), async (env) => {
        await load({ env }).catch((error: unknown) => assert.ok(error instanceof ConfigError, String(error)));

        assert.equal(Reflect.get({}, 'kind'), undefined);
      }),
      { numRuns: 500 },
    );
  });
});
