import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CONFIG_FILE, load, problemsOf } from '../../tests/support/config.ts';

const at = (place: string) => `${CONFIG_FILE}:${place}`;

describe('CORE-11 each problem names the key, the file and the line', () => {
  test('an unknown key, with the closest known one', async () => {
    const problems = await problemsOf({ yaml: 'limits:\n  max_concurent: 5\nlimts: {}' });

    assert.deepEqual(problems, [
      `limits.max_concurent (${at('2:3')}): is not a known key; did you mean max_concurrent?`,
      `limts (${at('3:1')}): is not a known key; did you mean limits?`,
    ]);
  });

  test('an unknown key that resembles no other, with the known ones', async () => {
    const problems = await problemsOf({ yaml: 'store: { engine: fast }' });

    assert.deepEqual(problems, [`store.engine (${at('1:10')}): is not a known key; known here are url`]);
  });

  test('a wrong type, with what is valid', async () => {
    const yaml = [
      'limits: { max_concurrent: many, request_timeout_ms: 1.5, connect_timeout_ms: -1, max_line_bytes: 99999999999 }',
      'daemon: { autostart: yes please }',
      'logging: { level: inof, format: 7 }',
      'server: { name: 5 }',
      'auth: []',
      'mcp: { allowed_hosts: example.test, local_scopes: [everything] }',
      'claude: { base_url: ftp://example.test }',
    ].join('\n');

    const problems = await problemsOf({ yaml });

    assert.deepEqual(problems, [
      `limits.max_concurrent (${at('1:11')}): must be a whole number from 1 to 1000000`,
      `limits.request_timeout_ms (${at('1:33')}): must be a whole number from 1 to 2147483647`,
      `limits.connect_timeout_ms (${at('1:58')}): must be a whole number from 1 to 2147483647`,
      `limits.max_line_bytes (${at('1:82')}): must be a whole number from 1024 to 268435456`,
      `daemon.autostart (${at('2:11')}): must be true or false`,
      `logging.level (${at('3:12')}): must be one of trace, debug, info, warn, error, silent; did you mean info?`,
      `logging.format (${at('3:25')}): must be one of json, pretty`,
      `server.name (${at('4:11')}): must be text; put it in quotes`,
      `auth (${at('5:1')}): must be a mapping of keys to values`,
      `mcp.allowed_hosts (${at('6:8')}): must be a list, each entry a host name such as switchboard.example.org`,
      `mcp.local_scopes[0] (${at('6:52')}): must be a scope like chat:read`,
      `claude.base_url (${at('7:11')}): must be an address that begins with http:// or https://`,
    ]);
  });

  test('a scope of no capability', async () => {
    const hash = 'f0'.repeat(32);
    const yaml = [
      `auth: { tokens: [{ name: ci, token_hash: "${hash}", scopes: [chat:read, human, chats:read] }] }`,
      'mcp: { local_scopes: [servers:manage, nothing:read] }',
    ].join('\n');

    const problems = await problemsOf({ yaml });

    assert.deepEqual(
      problems.map((problem) => problem.replace(/ \(.*?\)/, '')),
      [
        'auth.tokens[0].scopes[2]: begins with no capability; did you mean chat?',
        'mcp.local_scopes[1]: begins with no capability; known are system, chat, email, agentmail, servers, claude, outbox',
      ],
    );
  });

  test('a host or an origin as no browser sends it', async () => {
    const yaml = [
      'mcp:',
      '  allowed_hosts: [sb.example.org, "sb.example.org:8443", "[::1]", "https://sb.example.org"]',
      '  allowed_origins: ["http://localhost:5173", "vscode-webview://x1", "http://localhost:5173/", "https://a.example:443", "*"]',
    ].join('\n');

    const problems = await problemsOf({ yaml });

    const wanted = 'must be an origin without a path, such as http://localhost:5173';
    assert.deepEqual(problems, [
      `mcp.allowed_hosts[3] (${at('2:67')}): must be a host name such as switchboard.example.org`,
      `mcp.allowed_origins[2] (${at('3:69')}): ${wanted}`,
      `mcp.allowed_origins[3] (${at('3:95')}): ${wanted}`,
      `mcp.allowed_origins[4] (${at('3:120')}): ${wanted}`,
    ]);
  });

  test('PostgreSQL, which is not supported yet', async () => {
    const problems = await problemsOf({ yaml: 'store: { url: "postgres://alice:hunter2@db/x" }' });

    assert.deepEqual(problems, [`store.url (${at('1:10')}): must be sqlite (PostgreSQL is not supported yet)`]);
  });

  test('a duplicate key', async () => {
    const problems = await problemsOf({ yaml: 'auth: { token: a }\nlimits: {}\nauth: { token: b }' });

    assert.deepEqual(problems, [`auth (${at('3:1')}): is given twice; it is on line 1 already`]);
  });

  test('two tokens with one name', async () => {
    const token = `{ name: ci, token_hash: ${'a1'.repeat(32)}, scopes: [] }`;

    const problems = await problemsOf({ yaml: `auth:\n  tokens:\n    - ${token}\n    - ${token}` });

    assert.deepEqual(problems, [`auth.tokens[1].name (${at('4:9')}): this name is taken`]);
  });

  test('problems beyond the limit are only counted', async () => {
    const yaml = Array.from({ length: 60 }, (_, index) => `zzz${index}zzz: 1`).join('\n');

    await assert.rejects(load({ yaml }), ({ message }: Error) => {
      assert.equal(message.split('\n').length, 52);
      assert.match(message, /\n {2}… and 10 more$/);
      return true;
    });
  });
});

describe('sources and accounts', () => {
  test('a missing or unknown kind is reported with all valid ones', async () => {
    const yaml = 'sources:\n  a: {}\n  b: { kind: telegrm }\n  c:';

    const problems = await problemsOf({ yaml });

    const kinds = 'one of beeper, irc, matrix, signal, telegram, whatsapp, xmpp, webhook, archive';
    assert.deepEqual(problems, [
      `sources.a.kind (${at('2:3')}): is missing; it must be ${kinds}`,
      `sources.b.kind (${at('3:8')}): must be ${kinds}; did you mean telegram?`,
      `sources.c (${at('4:3')}): is missing; it must be a mapping of keys to values`,
    ]);
  });

  test('a key of another kind is unknown, and a required key is reported as missing', async () => {
    const problems = await problemsOf({ yaml: 'sources:\n  libera: { kind: irc, nick: sb, jid: x }' });

    assert.deepEqual(problems, [
      `sources.libera.host (${at('2:3')}): is missing; it must be text`,
      `sources.libera.jid (${at('2:34')}): is not a known key; known here are kind, name, policy, keep_days, history_days, history_messages, host, port, tls, ca, nick, account, password, server_password, channels`,
    ]);
  });

  test('an unquoted phone number is a number, and is reported', async () => {
    const problems = await problemsOf({ yaml: 'sources:\n  s: { kind: signal, account: +15550100 }' });

    assert.deepEqual(problems, [`sources.s.account (${at('2:22')}): must be text; put it in quotes`]);
  });

  test('reserved ids, ids that are invalid in tool names, and ids of both a source and an account are refused', async () => {
    const account = '{ email: a@example.test, imap: { host: h } }';
    const yaml = [
      'sources:',
      ...['demo', 'agentmail', 'human', 'A', 'a b', 'a__b', '-a', '"a:b"', '__proto__', 'x'.repeat(65), 'work'].map(
        (id) => `  ${id}: { kind: whatsapp }`,
      ),
      `accounts:\n  work: ${account}\n  demo: ${account}\n  fine-1: ${account}`,
    ].join('\n');

    const problems = await problemsOf({ yaml });

    const rule = 'an id has up to 64 lower-case letters and digits, with single - or _ between them';
    assert.deepEqual(problems, [
      `sources.demo (${at('2:3')}): this id is reserved; choose another`,
      `sources.agentmail (${at('3:3')}): this id is reserved; choose another`,
      `sources.human (${at('4:3')}): this id is reserved; choose another`,
      `sources.A (${at('5:3')}): ${rule}`,
      `sources.a… (${at('6:3')}): ${rule}`,
      `sources.a__b (${at('7:3')}): ${rule}`,
      `sources.-a (${at('8:3')}): ${rule}`,
      `sources.a… (${at('9:3')}): ${rule}`,
      `sources.__proto__ (${at('10:3')}): ${rule}`,
      `sources.${'x'.repeat(64)}… (${at('11:3')}): ${rule}`,
      `accounts.work (${at('14:3')}): a source has this id already; choose another`,
      `accounts.demo (${at('15:3')}): this id is reserved; choose another`,
    ]);
  });

  test('a policy can be set on a source, an account and a token', async () => {
    const yaml = [
      'policy: { send: hold, allowed_recipients: [bob@example.test] }',
      'sources: { w: { kind: whatsapp, policy: { send: deny } } }',
      'accounts: { a: { email: a@example.test, imap: { host: h }, policy: { allowed_recipients: [x] } } }',
      `auth: { tokens: [{ name: t, token_hash: ${'a1'.repeat(32)}, scopes: [chat:send], policy: { send: hold } }] }`,
    ].join('\n');

    const { config } = await load({ yaml });

    assert.deepEqual(config.policy, {
      send: 'hold',
      allowed_recipients: ['bob@example.test'],
      ask_in_client: false,
      keep_sent_days: 30,
    });
    assert.deepEqual(config.sources.w?.policy, { send: 'deny' });
    assert.deepEqual(config.accounts.a?.policy, { allowed_recipients: ['x'] });
    assert.partialDeepStrictEqual(config.auth.tokens[0], { policy: { send: 'hold' } });
  });
});

describe('values never appear in a message', () => {
  const SECRET = 'hunter2-do-not-tell';

  test('from the file, for any error near a secret', async () => {
    const wrong = [
      `auth: { token: [${SECRET}] }`,
      `auth: { token: { a: ${SECRET} } }`,
      `auth: { tokens: [{ name: a, token_hash: ${SECRET} }] }`,
      `auth: { tokne: ${SECRET} }`,
      `auth: { token=${SECRET} }`,
      `auth: { "token: ${SECRET}" }`,
      `auth:\n  token: "${SECRET}`,
      `auth:\n  token: ${SECRET}\n token: x`,
      `auth:\n\ttoken: ${SECRET}`,
      `auth:\n  token: *${SECRET}`,
      `auth:\n  token: !${SECRET} x`,
      `auth:\n  token: @${SECRET}`,
      `auth ${SECRET}`,
      `claude: { api_key: ${SECRET}, base_url: ${SECRET} }`,
      `sources: { a: { kind: ${SECRET} } }`,
      `claude: { temperature: ${SECRET}, model: [] }`,
    ];

    for (const yaml of wrong) {
      const problems = await problemsOf({ yaml });

      assert.ok(!problems.join('\n').includes(SECRET), yaml);
    }
  });

  test('from the environment', async () => {
    const wrong = [
      { SWITCHBOARD_AUTH__TOKENS: SECRET },
      { SWITCHBOARD_AUTH: SECRET },
      { SWITCHBOARD_LIMITS__MAX_CONCURRENT: SECRET },
      { SWITCHBOARD_AUTH__TOKEN__X: SECRET, SWITCHBOARD_AUTH__TOKEN: SECRET },
      { SWITCHBOARD_AUTH__TOKEN_FILE: SECRET },
      { SWITCHBOARD_SERVER_DEBUG: SECRET },
      { SWITCHBOARD_NO__KEY: SECRET },
      { ANTHROPIC_BASE_URL: SECRET },
    ];

    for (const env of wrong) {
      const problems = await problemsOf({ env });

      assert.ok(!problems.join('\n').includes(SECRET), JSON.stringify(env));
    }
  });
});
