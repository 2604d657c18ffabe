import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { emailText, headerField, startEmailHome, subjectsOf } from '../support/email/email-home.ts';
import { until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';

const home = await startEmailHome(
  after,
  { first: { user: 'alice' } },
  { options: { users: ['alice', 'bob', 'carol'] } },
);
const { server } = home;
const client = await home.client('--only', 'email');

/** `switchboard email add`, with the password on standard input. */
function add(user: string, password: string, ...more: string[]) {
  const { host, ports, ca } = server;
  const servers = ['--imap-host', host, '--smtp-host', host, '--ca', ca.path];
  const secure = [
    '--imap-port',
    String(ports.imaps),
    '--imap-tls',
    'true',
    '--smtp-port',
    String(ports.smtps),
    '--smtp-tls',
    'true',
  ];
  const args = [
    'email',
    'add',
    '--email',
    `${user}@example.test`,
    ...servers,
    ...(more.includes('--imap-port') ? [] : secure),
    ...more,
  ];
  return runProgram(args, { home: home.home, stdin: `${password}\n` });
}

const accountIds = async () => ((await client.call('list_accounts')).accounts as JsonObject[]).map(({ id }) => id);

/** The contents of all files below a folder. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}

describe('an account of any host', { timeout: 120_000 }, () => {
  test('EMAIL-20 is added by a command while clients are connected, and used at once; its password is in no file', async () => {
    server.deliver('bob', emailText({ subject: 'There before', to: 'bob@example.test' }));

    const added = await add(
      'bob',
      server.user('bob').password,
      '--id',
      'second',
      '--name',
      'Second',
      '--from-name',
      'Bob B.',
    );
    await home.synced();
    const found = await client.call('search_emails', { account: 'second' });
    const sent = await client.call('send_email', {
      to: 'carol@example.test',
      subject: 'Added',
      body: 'x',
      account: 'second',
    });

    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /Added second \(bob@example\.test\)/);
    assert.deepEqual(
      [await accountIds(), subjectsOf(found), sent.status],
      [['first', 'second'], ['There before'], 'sent'],
    );
    await server.smtp.delivered();
    assert.equal(headerField(server.folderOf('carol')[0]?.raw ?? '', 'From'), '"Bob B." <bob@example.test>');
    for (const content of filesBelow(home.home)) assert.ok(!content.includes(server.user('bob').password));
  });

  test('EMAIL-20 is added with STARTTLS, too', async () => {
    const { ports } = server;
    const options = [
      '--imap-port',
      String(ports.imap),
      '--imap-tls',
      'starttls',
      '--smtp-port',
      String(ports.smtp),
      '--smtp-tls',
      'starttls',
    ];

    const added = await add('carol', server.user('carol').password, '--id', 'third', ...options);
    await home.synced();
    const sent = await client.call('send_email', {
      to: 'alice@example.test',
      subject: 'By STARTTLS',
      body: 'x',
      account: 'third',
    });

    assert.equal(added.code, 0, added.stderr);
    assert.equal(sent.status, 'sent');
  });

  test('EMAIL-20 is not added if the servers refuse it, and the reason is said without the password', async () => {
    const wrong = await add('alice', 'not-the-password', '--id', 'wrong');
    const untrusted = await runProgram(
      [
        'email',
        'add',
        '--email',
        'alice@example.test',
        '--id',
        'wrong',
        '--imap-host',
        server.host,
        '--imap-port',
        String(server.ports.imaps),
        '--receive-only',
      ],
      { home: home.home, stdin: `${server.user('alice').password}\n` },
    );

    const { host, ports } = server;
    const starttls = [
      '--imap-host',
      host,
      '--imap-port',
      String(ports.imap),
      '--imap-tls',
      'starttls',
      '--receive-only',
    ];
    const untrustedLater = await runProgram(
      ['email', 'add', '--email', 'alice@example.test', '--id', 'wrong', ...starttls],
      {
        home: home.home,
        stdin: `${server.user('alice').password}\n`,
      },
    );

    for (const { code, stdout, stderr } of [wrong, untrusted, untrustedLater]) {
      assert.equal(code, 1);
      assert.doesNotMatch(`${stdout}${stderr}`, /not-the-password|pw-alice/);
    }
    assert.match(wrong.stderr, /password/i);
    for (const { stderr } of [untrusted, untrustedLater]) assert.match(stderr, /certificate/i);
    assert.ok(!(await accountIds()).includes('wrong'));
  });

  test('EMAIL-20 doctor and the status tell how accounts are', async () => {
    const doctor = await home.command('doctor');
    const sources = await home.json('chat', 'sources');

    assert.match(doctor.stdout, /second/);
    assert.partialDeepStrictEqual(
      (sources.sources as JsonObject[]).find(({ id }) => id === 'second'),
      { kind: 'email', is_connected: true },
    );
  });

  test('EMAIL-20 survives a restart, with its password', async () => {
    server.deliver('bob', emailText({ subject: 'During the restart', to: 'bob@example.test' }));

    await home.restart();
    await until(
      'it is found',
      async () => subjectsOf(await client.call('search_emails', { query: 'restart' })).length === 1,
    );

    assert.deepEqual(await accountIds(), ['first', 'second', 'third']);
  });

  test('EMAIL-20 is removed with all its mail here, and nothing of it on the server', async () => {
    const before = server.folderOf('bob').length;

    const removed = await home.json('email', 'remove', 'second');
    const found = await client.call('search_emails', { query: 'in:anywhere There' });
    const gone = await client.refusal('search_emails', { account: 'second' });
    const configured = await home.command('email', 'remove', 'first');

    assert.ok(Number(removed.removed_messages) >= 3);
    assert.deepEqual([subjectsOf(found), gone.code], [[], 'ACCOUNT_NOT_FOUND']);
    assert.deepEqual([await accountIds(), server.folderOf('bob').length], [['first', 'third'], before]);
    assert.equal(configured.code, 1, 'one of config.yaml');
  });
});
