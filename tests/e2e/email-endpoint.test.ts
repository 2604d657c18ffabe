import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { type EmailClient, emailText, startEmailHome, subjectsOf } from '../support/email/email-home.ts';
import { writeEmailConfig } from '../support/email/email-program.ts';
import { freePort } from '../support/free-port.ts';
import { startStdio } from '../support/mcp/mcp-program.ts';
import { stateless } from '../support/mcp/rpc-message.ts';
import { daemonStatus, removeHome, startShim } from '../support/mcp/shim-program.ts';
import { toolClient } from '../support/mcp/tool-client.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOOLS = [
  'compose_email',
  'delete_email',
  'list_accounts',
  'mark_read',
  'read_email',
  'reply_to_email',
  'search_emails',
  'send_email',
];
const EXTRAS = [
  'delete_draft',
  'forward_email',
  'get_thread',
  'list_drafts',
  'list_folders',
  'save_attachment',
  'search_messages',
  'update_draft',
  'update_emails',
];
/** Those that change nothing. */
const READING = ['list_accounts', 'read_email', 'search_emails'];

const folder = temporaryFolder(after);
const home = await startEmailHome(after, {
  work: { user: 'alice', settings: { name: 'Work' } },
  personal: { user: 'bob', settings: { name: 'At home' }, cannotSend: true },
});
home.server.deliver('alice', emailText({ subject: 'For Alice' }));
home.server.deliver('bob', emailText({ subject: 'For Bob' }));
await home.synced();
const only = await home.client('--only', 'email');

describe('the endpoint of email', { timeout: 300_000 }, () => {
  async function toolsOf(client: Pick<EmailClient, 'rpc'>): Promise<JsonObject[]> {
    return (await client.rpc('tools/list')).result?.tools as JsonObject[];
  }

  function started(context: TestContext, where: string, ...args: string[]) {
    const shim = startShim({ home: where }, ['--only', 'email', ...args]);
    context.after(() => shim.signal('SIGKILL'));
    return shim;
  }

  const namesOf = (tools: readonly JsonObject[]) => tools.map(({ name }) => String(name)).sort();

  test('EMAIL-01 on stdio has exactly the eight tools, in a list of at most 12 KB', async () => {
    const listed = await only.rpc('tools/list');

    assert.deepEqual(namesOf(listed.result?.tools as JsonObject[]), TOOLS);
    assert.ok(JSON.stringify(listed).length <= 12 * 1024);
  });

  test('EMAIL-01 tells clients which tools read, which can be repeated and which destroy', async () => {
    const tools = await toolsOf(only);

    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations as JsonObject]));
    const readOnly = TOOLS.filter((name) => hints[name]?.readOnlyHint === true);
    assert.deepEqual(readOnly, READING);
    assert.partialDeepStrictEqual(hints, {
      delete_email: { destructiveHint: true },
      mark_read: { idempotentHint: true },
      send_email: { openWorldHint: true },
    });
  });

  test('EMAIL-01 shows no resource, prompt or tool of other capabilities', async () => {
    const [resources, templates, prompts] = [
      await only.rpc('resources/list'),
      await only.rpc('resources/templates/list'),
      await only.rpc('prompts/list'),
    ];
    const foreign = await only.rpc('tools/call', { name: 'list_sources', arguments: {} });

    assert.deepEqual([resources.result?.resources, prompts.result?.prompts], [[], []]);
    assert.deepEqual(
      ((templates.result?.resourceTemplates ?? []) as JsonObject[]).map(({ uriTemplate }) => uriTemplate),
      ['email://{message_id}/attachments/{part}'],
    );
    assert.match(JSON.stringify(foreign), /list_sources/);
    assert.ok(foreign.error);
  });

  test('EMAIL-01 of all capabilities together has the same names and the extras', async () => {
    const all = await home.client();

    const names = namesOf(await toolsOf(all));

    for (const name of [...TOOLS, ...EXTRAS]) assert.ok(names.includes(name), name);
  });

  test('EMAIL-01 answers clients of the first and of the newest protocol version', async (context) => {
    const [first, newest] = [started(context, home.home), started(context, home.home)];
    await first.initialize('2024-11-05');
    const search = { name: 'search_emails', arguments: { account: 'work' } };

    const answers = [await first.call('tools/call', search), await newest.call('tools/call', stateless(search))];
    await Promise.all([first.stop(), newest.stop()]);

    for (const { result } of answers)
      assert.deepEqual(subjectsOf(result?.structuredContent as JsonObject), ['For Alice']);
    assert.match(JSON.stringify(answers[0]?.result?.content), /For Alice/);
  });

  test('EMAIL-01 --read-only leaves only what reads, and refuses the rest', async () => {
    const reader = await home.client('--only', 'email', '--read-only');

    const names = namesOf(await toolsOf(reader));
    const sending = await reader.rpc('tools/call', {
      name: 'send_email',
      arguments: { to: 'bob@example.test', subject: 'x', body: 'x', account: 'work' },
    });

    assert.deepEqual(names, READING);
    assert.ok(sending.error ?? sending.result?.isError);
    assert.equal(home.server.folderOf('alice', 'Sent').length, 0);
  });

  test('EMAIL-01 the daemon that a client starts stays connected to its accounts when the client leaves', async (context) => {
    const own = join(folder, 'daemon');
    writeEmailConfig(own, home.server, { one: { user: 'alice' } }, { daemon: { idle_exit_ms: 100 } });
    context.after(() => removeHome(own));
    const first = started(context, own);
    await first.initialize();
    await toolClient(first.call).call('compose_email', { to: 'a@b.test', subject: 'By the daemon', body: 'x' });
    const { pid } = await daemonStatus(own);

    await first.stop();
    const later: boolean[] = [];
    for (let each = 0; each < 5; each += 1) later.push((await daemonStatus(own)).running);
    const second = started(context, own);
    await second.initialize();
    const found = await toolClient(second.call).call('search_emails', { folder: 'drafts' });

    assert.deepEqual([later, (await daemonStatus(own)).pid], [Array(5).fill(true), pid]);
    assert.deepEqual(subjectsOf(found), ['By the daemon']);
  });

  test('EMAIL-02 --api-url uses the accounts of a running instance elsewhere', async (context) => {
    const elsewhere = new URL(home.url()).origin;
    const remote = started(context, join(folder, 'remote'), '--api-url', elsewhere);
    await remote.initialize();
    const tools = toolClient(remote.call);

    const accounts = await tools.call('list_accounts');
    const found = await tools.call('search_emails', { query: 'For Bob' });
    const { code, noise } = await remote.stop();

    assert.deepEqual(
      (accounts.accounts as JsonObject[]).map(({ id }) => id),
      ['work', 'personal'],
    );
    assert.deepEqual(subjectsOf(found), ['For Bob']);
    assert.deepEqual([code, noise], [0, []]);
  });

  test('EMAIL-03 an instance that is not reachable: every tool says so and what to check', async (context) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const remote = started(context, join(folder, 'unreachable'), '--api-url', url);
    const inputs = { list_accounts: {}, search_emails: { query: 'x' }, send_email: { draft_id: '1' } };

    for (const [name, input] of Object.entries(inputs)) {
      const { result } = await remote.call('tools/call', stateless({ name, arguments: input }));
      assert.equal(result?.isError, true, name);
      assert.match(JSON.stringify(result), /cannot be reached|not reachable/i, name);
      assert.match(JSON.stringify(result), /check that the service runs/i, name);
    }
    assert.equal((await remote.stop()).code, 0);
  });

  test('EMAIL-04 list_accounts has name, address, provider and id of each, on every door', async () => {
    const expected = [
      { id: 'work', name: 'Work', email: 'alice@example.test', provider: 'imap', can_send: true },
      { id: 'personal', name: 'At home', email: 'bob@example.test', provider: 'imap', can_send: false },
    ];

    const answers = [
      await only.call('list_accounts'),
      (await home.rest('GET', '/accounts')).body,
      await home.json('email', 'accounts'),
    ];
    const [text, table] = [await only.text('list_accounts'), await home.command('email', 'accounts')];

    for (const { accounts } of answers) assert.partialDeepStrictEqual(accounts, expected);
    for (const { id, name, email } of expected) {
      for (const shown of [text, table.stdout]) {
        assert.match(shown, new RegExp(`${id}.*${name === id ? '' : name}.*${email}.*imap`, 'i'));
      }
    }
  });

  test('EMAIL-04 no account: an empty list, and searching finds nothing', async () => {
    const empty = join(folder, 'empty');
    const program = startStdio({ home: empty }, ['--only', 'email']);
    await program.initialize();
    const tools = toolClient(program.call);

    const [accounts, emails] = [await tools.call('list_accounts'), await tools.call('search_emails', { query: 'x' })];
    const refused = await tools.refusal('compose_email', { to: 'a@b.test', subject: 'x', body: 'x' });
    await program.stop();
    const table = await runProgram(['email', 'accounts'], { home: empty });

    assert.deepEqual([accounts.accounts, emails.emails], [[], []]);
    assert.deepEqual([refused.code, refused.message], ['ACCOUNT_NOT_FOUND', 'No email account is configured.']);
    assert.match(`${table.stdout}${table.stderr}`, /switchboard email add/);
  });
});
