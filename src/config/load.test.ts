import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CONFIG_FILE, CONFIG_MODEL, load, problemsOf } from '../../tests/support/config.ts';
import { AppError } from '../domain/errors.ts';
import { loadConfig } from './load.ts';
import { ConfigError } from './problems.ts';

describe('the sources of values', () => {
  test('CORE-11 without a file every section has its defaults', async () => {
    const { config, file, warnings, origins } = await load({});

    assert.deepEqual(config.server, { name: 'switchboard' });
    assert.deepEqual(config.limits, {
      connect_timeout_ms: 30_000,
      request_timeout_ms: 60_000,
      max_concurrent: 100,
      max_concurrent_total: 1000,
      max_concurrent_per_token: 200,
      max_streams: 1000,
      max_streams_per_token: 100,
      max_connections: 2000,
      max_line_bytes: 4_194_304,
    });
    assert.deepEqual(config.daemon, { autostart: true, idle_exit_ms: 300_000 });
    assert.partialDeepStrictEqual(config.servers, { handshake_timeout_ms: 30_000, call_timeout_ms: 60_000 });
    assert.partialDeepStrictEqual(config.claude, { max_tokens: 8192, max_iterations: 20 });
    assert.deepEqual(config.telemetry, { metrics: true });
    assert.deepEqual(config.logging, { level: 'info', format: 'json' });
    assert.deepEqual([config.sources, config.accounts, config.auth.tokens], [{}, {}, []]);
    assert.deepEqual([file, warnings, origins.size], [undefined, [], 0]);
  });

  test('CORE-11 the environment overrides the file, and flags override both', async () => {
    const yaml = 'limits: { max_concurrent: 1, max_concurrent_total: 1, request_timeout_ms: 1 }';
    const env = { SWITCHBOARD_LIMITS__MAX_CONCURRENT: '2', SWITCHBOARD_LIMITS__MAX_CONCURRENT_TOTAL: '2' };

    const { config } = await load({ yaml, env, flags: { 'limits.max_concurrent': '3' } });

    const { max_concurrent, max_concurrent_total, request_timeout_ms } = config.limits;
    assert.deepEqual([max_concurrent, max_concurrent_total, request_timeout_ms], [3, 2, 1]);
  });

  test('CORE-11 the whole example of the documentation is valid', async () => {
    const yaml = `
server:  { name: switchboard, log_level: warn }
auth:    { token: t0ken, tokens: [{ name: ci, token_hash: ${'0a'.repeat(32)}, scopes: [chat:read] }] }
limits:  { connect_timeout_ms: 30000, request_timeout_ms: 60000, max_concurrent: 100, max_line_bytes: 4194304 }
store:   { url: sqlite }
daemon:  { autostart: true, idle_exit_ms: 300000 }
sources:
  telegram: { kind: telegram, name: Telegram, api_id: 1, api_hash: abc }
  signal:   { kind: signal, account: "+15550100", endpoint: "tcp://127.0.0.1:7583" }
  whatsapp: { kind: whatsapp }
  ops:      { kind: xmpp, jid: ops@example.test, password: pw, rooms: [team@rooms.example.test] }
  libera:   { kind: irc, host: irc.example.test, port: 6697, tls: true, nick: sb, channels: ["#x"] }
  hook:     { kind: webhook, name: Hook }
accounts:
  work:
    email: alice@example.test
    provider: imap
    imap: { host: 127.0.0.1, port: 11993, tls: true }
    smtp: { host: 127.0.0.1, port: 11465, tls: starttls }
    auth: { user: alice@example.test, password: pw }
    ca: cert.pem
servers: { handshake_timeout_ms: 30000, call_timeout_ms: 60000 }
policy:  { send: allow }
claude:  { api_key: key, base_url: "http://127.0.0.1:1", model: m, max_tokens: 8192 }
telemetry: { otlp_endpoint: "http://127.0.0.1:4318", metrics: true }
`;

    const { config, warnings } = await load({ yaml });

    assert.equal(config.logging.level, 'warn');
    assert.equal(config.accounts.work?.smtp?.tls, 'starttls');
    assert.deepEqual(Object.keys(config.sources), ['telegram', 'signal', 'whatsapp', 'ops', 'libera', 'hook']);
    assert.deepEqual(warnings, []);
  });

  test('a list of channels that is empty because of a comment is a warning', async () => {
    const yaml =
      'sources:\n  libera: { kind: irc, host: irc.example, nick: ann }\n  ops:\n    kind: irc\n    host: irc.example\n    nick: ann\n    channels: #dev\n';

    const { config, warnings } = await load({ yaml });

    assert.deepEqual(config.sources.ops?.kind === 'irc' && config.sources.ops.channels, []);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? '',
      /sources\.ops\.channels.*is empty; names that begin with # stand in quotes: \["#name"\]/,
    );
  });

  test('an empty file, an empty section and an empty value are treated as absent', async () => {
    for (const yaml of [
      '',
      '# nothing yet\n',
      '---\n',
      'limits:\n',
      'limits:\n  max_concurrent:\n',
      'auth: { token: "" }',
    ]) {
      const { config } = await load({ yaml });

      assert.deepEqual([config.limits.max_concurrent, config.auth.token], [100, undefined], yaml);
    }
  });

  test('an alias is a copy: a variable changes one of the two', async () => {
    const yaml = [
      'accounts:',
      '  a: { email: a@example.test, imap: &server { host: mail.example.test, port: 1 } }',
      '  b: { email: b@example.test, imap: *server }',
    ].join('\n');

    const { config } = await load({ yaml, env: { SWITCHBOARD_ACCOUNTS__B__IMAP__PORT: '2' } });

    assert.deepEqual([config.accounts.a?.imap?.port, config.accounts.b?.imap?.port], [1, 2]);
  });

  test('the origin of the overriding value is recorded', async () => {
    const yaml = 'server:\n  name: one\nlogging: { level: debug }';
    const env = { SWITCHBOARD_LOGGING__LEVEL: 'error' };

    const { origins, file } = await load({ yaml, env, flags: { 'logging.format': 'pretty' } });

    assert.equal(file, CONFIG_FILE);
    assert.deepEqual(Object.fromEntries(origins), {
      'server.name': { kind: 'file', file: CONFIG_FILE, line: 2, column: 3 },
      'logging.level': { kind: 'variable', name: 'SWITCHBOARD_LOGGING__LEVEL' },
      'logging.format': { kind: 'flag', name: 'logging.format' },
    });
  });

  test('a flag for an unknown key is refused by its name', async () => {
    const problems = await problemsOf({ flags: { 'limits.max_concurent': '1' } });

    assert.deepEqual(problems, [
      'limits.max_concurent (--set limits.max_concurent): is not a known key; did you mean max_concurrent?',
    ]);
  });

  test('a flag below a value that is not a mapping is refused', async () => {
    const problems = await problemsOf({ yaml: 'server: { name: x }', flags: { 'server.name.first': '1' } });

    assert.deepEqual(problems, [
      'server.name.first (--set server.name.first): a key above it holds something that is not a mapping',
    ]);
  });
});

describe('old names', () => {
  test('server.log_level is logging.level', async () => {
    const { config, warnings } = await load({ yaml: 'server: { log_level: error }' });

    assert.deepEqual([config.logging.level, warnings], ['error', []]);
  });

  test('logging.level overrides server.log_level, with a warning', async () => {
    const { config, warnings } = await load({ yaml: 'server: { log_level: error }\nlogging: { level: debug }' });

    assert.equal(config.logging.level, 'debug');
    assert.deepEqual(warnings, [`server.log_level (${CONFIG_FILE}:1:11): is ignored, because logging.level is set`]);
  });

  test('claude.temperature is ignored, with a warning', async () => {
    const { config, warnings } = await load({ yaml: 'claude: { temperature: 0.5 }' });

    assert.equal('temperature' in config.claude, false);
    assert.match(warnings.join(), /^claude\.temperature \(.*config\.yaml:1:11\): is ignored/);
  });
});

describe('references', () => {
  test('a reference to a variable is replaced, in a text and as a number', async () => {
    const yaml = `claude:\n  base_url: http://\${env:HOST}:1/\nlimits:\n  max_concurrent: \${env:MOST}`;

    const { config } = await load({ yaml, env: { HOST: 'example.test', MOST: '7' } });

    assert.deepEqual([config.claude.base_url, config.limits.max_concurrent], ['http://example.test:1/', 7]);
  });

  test('a reference to a variable that is not set is a problem', async () => {
    const problems = await problemsOf({ yaml: `auth:\n  token: \${env:NOT_THERE}` });

    assert.deepEqual(problems, [`auth.token (${CONFIG_FILE}:2:3): refers to the variable NOT_THERE, which is not set`]);
  });

  test('a reference to a secret is left in place, and is listed with its key', async () => {
    const yaml = `auth:\n  token: \${secret:OWNER}\nclaude:\n  base_url: https://\${secret:A}:\${secret:B}@example.test`;

    const { config, references } = await load({ yaml });

    assert.equal(config.auth.token, `\${secret:OWNER}`);
    assert.deepEqual(references, [
      { key: 'auth.token', name: 'OWNER' },
      { key: 'claude.base_url', name: 'A' },
      { key: 'claude.base_url', name: 'B' },
    ]);
  });

  test('a reference without a valid name is a problem', async () => {
    const problems = await problemsOf({ yaml: `auth:\n  token: \${secret:}\nclaude:\n  model: \${env:a b}` });

    assert.deepEqual(problems, [
      `auth.token (${CONFIG_FILE}:2:3): has a reference that names no secret; it must be like \${secret:NAME}`,
      `claude.model (${CONFIG_FILE}:4:3): has a reference that names no variable; it must be like \${env:NAME}`,
    ]);
  });

  test('what looks like a reference and is none is a problem, and never the value itself', async () => {
    const yaml = `auth:\n  token: \${secrets:OWNER}\nserver:\n  name: \${NAME}\nclaude:\n  model: a-\${file:/run/m}`;

    const problems = await problemsOf({ yaml });

    const text = `has a reference of another kind; it must be like \${secret:NAME} or \${env:NAME}`;
    assert.deepEqual(problems, [
      `auth.token (${CONFIG_FILE}:2:3): ${text}`,
      `server.name (${CONFIG_FILE}:4:3): ${text}`,
      `claude.model (${CONFIG_FILE}:6:3): ${text}`,
    ]);
  });

  test('braces within a value, and those that a variable holds, are taken as they are', async () => {
    const yaml = `auth:\n  token: "pa\${ss}word"\nclaude:\n  model: \${env:MODEL}`;

    const { config } = await load({ yaml, env: { MODEL: `\${other:thing}` } });

    assert.deepEqual([config.auth.token, config.claude.model], [`pa\${ss}word`, `\${other:thing}`]);
  });
});

describe('the file on disk', () => {
  let home = '';
  const read = () => loadConfig({ model: CONFIG_MODEL, home, env: {} });
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'switchboard-config-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  test('it can be read again after a change', async () => {
    const file = join(home, 'config.yaml');
    writeFileSync(file, 'server: { name: one }');
    const before = await read();
    writeFileSync(file, 'server: { name: two }');

    const after = await read();

    assert.deepEqual([before.config.server.name, after.config.server.name], ['one', 'two']);
  });

  test('a byte order mark and Windows line ends are accepted', async () => {
    writeFileSync(join(home, 'config.yaml'), '\ufeffserver:\r\n  name: one\r\n');

    const { config } = await read();

    assert.equal(config.server.name, 'one');
  });

  test('a folder at the path of the file is a clear error', async () => {
    mkdirSync(join(home, 'config.yaml'));

    await assert.rejects(read(), new AppError('VALIDATION_ERROR', `${join(home, 'config.yaml')} is not a file.`));
  });

  test('bytes that are not text are a clear error', async () => {
    writeFileSync(join(home, 'config.yaml'), Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe]));

    await assert.rejects(read(), { code: 'VALIDATION_ERROR', message: /is not text in UTF-8\.$/ });
  });

  test('a path below a file is a clear error', async () => {
    writeFileSync(join(home, 'file'), '');

    await assert.rejects(loadConfig({ model: CONFIG_MODEL, home: join(home, 'file'), env: {} }), {
      code: 'VALIDATION_ERROR',
      message: /cannot be read: the system refused\.$/,
    });
  });

  test('an explicitly named file must exist', async () => {
    const file = join(home, 'other.yaml');

    await assert.rejects(loadConfig({ model: CONFIG_MODEL, home, env: {}, file }), {
      code: 'NOT_FOUND',
      message: `There is no file ${file}.`,
    });
  });

  test('the error of a broken file can be shown by every door', async () => {
    writeFileSync(join(home, 'config.yaml'), 'limits: { max_concurrent: none }');

    await assert.rejects(read(), (error) => {
      assert.ok(error instanceof ConfigError && error instanceof AppError);
      assert.equal(error.code, 'VALIDATION_ERROR');
      assert.equal(error.field, 'limits.max_concurrent');
      assert.match(
        error.message,
        /^The configuration is not valid:\n {2}limits\.max_concurrent \(.*config\.yaml:1:11\): /,
      );
      return true;
    });
  });
});
