import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { startHttp, startStdio } from '../support/mcp/mcp-program.ts';
import { openSession, postStateless } from '../support/mcp/rpc-http.ts';
import { type Message, request, stateless } from '../support/mcp/rpc-message.ts';
import { removeHome, startShim } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
let homes = 0;

const SOURCES = `
sources:
  libera: { kind: irc, host: 127.0.0.1, port: 1, tls: false, nick: bob, channels: ["#x"] }
  family: { kind: archive, name: "WhatsApp archive" }
`;
const ACCOUNT = `
accounts:
  work:
    email: alice@example.test
    provider: imap
    imap: { host: 127.0.0.1, port: 1, tls: true }
    auth: { user: alice@example.test, password: a-password-of-a-test }
`;

function makeHome(context: TestContext | undefined, yaml: string): string {
  const home = join(folder, `h${++homes}`);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'config.yaml'), yaml);
  context?.after(() => removeHome(home));
  return home;
}

function instructionsIn({ result, error }: Message): string {
  assert.ok(result, JSON.stringify(error));
  return String(result.instructions);
}

interface Tool {
  name: string;
  description: string;
}

function toolsIn({ result, error }: Message): Tool[] {
  assert.ok(result, JSON.stringify(error));
  return result.tools as unknown as Tool[];
}

const namesIn = (message: Message) => toolsIn(message).map(({ name }) => name);

describe('the instructions for models', { timeout: 300_000 }, () => {
  const yaml = `${SOURCES}${ACCOUNT}policy: { send: hold }\n`;
  let home: string;
  let http: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    home = makeHome(undefined, yaml);
    http = await startHttp({ home });
  });
  after(async () => {
    await http.stop();
    removeHome(home);
  });

  test('name what is configured, what tools are for, and what is held, in every door alike', async (context) => {
    const embedded = startStdio({ home: makeHome(context, yaml) });
    const shim = startShim({ home: makeHome(context, yaml) });
    const session = await openSession(http.url);

    const texts = await Promise.all([
      embedded.initialize().then(instructionsIn),
      shim.initialize().then(instructionsIn),
      instructionsIn(session.opened.messages[0] ?? {}),
      postStateless(http.url, request('server/discover', stateless())).then(({ messages }) =>
        instructionsIn(messages[0] ?? {}),
      ),
    ]);
    await Promise.all([embedded.stop(), shim.stop()]);

    assert.equal(new Set(texts).size, 1, JSON.stringify(texts));
    const [text = ''] = texts;
    assert.match(
      text,
      /search_messages searches all.*send_message sends\. Sources: family \(WhatsApp archive\), libera \(IRC\)\./,
    );
    assert.match(text, /search_emails searches.*Accounts: work \(alice@example\.test\)\./);
    assert.match(text, /held until the user approves/);
    assert.doesNotMatch(text, /agentmail/);
  });

  test('name only the tools of their endpoint, and those of the rights of a token', async () => {
    const only = await openSession(`${http.url}/chat`);

    const text = instructionsIn(only.opened.messages[0] ?? {});

    assert.match(text, /get_messages reads/);
    assert.doesNotMatch(text, /search_messages|send_message|email/);
  });

  test('a search of tools for a network finds them', async () => {
    const session = await openSession(http.url);

    const tools = toolsIn(await session.call('tools/list'));

    for (const word of [
      'irc',
      'whatsapp',
      'slack',
      'telegram',
      'signal',
      'matrix',
      'xmpp',
      'discord',
      'email',
      'chat',
    ]) {
      const found = tools.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(word));
      assert(found.length >= 2, word);
    }
    assert.match(tools.find(({ name }) => name === 'send_message')?.description ?? '', /libera \(IRC\)/);
    assert.match(tools.find(({ name }) => name === 'get_messages')?.description ?? '', /WhatsApp archive, IRC, email/);
  });
});

test('clients without sessions are counted in the status', { timeout: 300_000 }, async (context) => {
  const home = makeHome(context, '');
  const http = await startHttp({ home });
  context.after(() => http.stop());
  const shim = startShim({ home });
  await shim.call('server/discover', stateless());
  for (let count = 0; count < 3; count += 1) await postStateless(http.url, request('tools/list', stateless()));

  const { stdout } = await runProgram(['status'], { home });
  await shim.stop();

  assert.match(stdout, /Sessions open: 0\. Clients without a session: 2\./);
});

describe('only what can work is listed', { timeout: 300_000 }, () => {
  test('without sources, accounts and an identity: no send_message, no tool for emails, no agent mail', async (context) => {
    const client = startStdio({ home: makeHome(context, '') });
    await client.initialize();

    const names = namesIn(await client.call('tools/list'));
    const unlisted = await client.call('tools/call', { name: 'search_emails', arguments: { query: 'x' } });
    await client.stop();

    assert.deepEqual(names, [
      'ask_claude',
      'get_messages',
      'get_thread',
      'list_accounts',
      'list_chats',
      'list_sources',
      'search_messages',
      'switchboard_status',
    ]);
    assert.equal(unlisted.error, undefined, 'what is not listed is answered');
  });

  test('an endpoint of one capability lists what its specification does', async (context) => {
    const home = makeHome(context, '');
    const mail = startStdio({ home }, ['--only', 'email']);
    await mail.initialize();

    const names = namesIn(await mail.call('tools/list'));
    await mail.stop();

    assert(names.includes('send_email') && names.includes('search_emails'), names.join());
  });

  test('the list changes with the configuration, once, and clients are notified', async (context) => {
    const home = makeHome(context, '');
    const client = startShim({ home });
    await client.initialize();
    const before = namesIn(await client.call('tools/list'));

    writeFileSync(join(home, 'config.yaml'), `${SOURCES}${ACCOUNT}`);
    await client.messages.notified('notifications/tools/list_changed');
    const added = namesIn(await client.call('tools/list'));
    await runProgram(['chat', 'logout', 'libera'], { home });
    await client.messages.notified('notifications/tools/list_changed');
    const signedOff = namesIn(await client.call('tools/list'));
    await client.stop();

    assert(!before.includes('send_message') && !before.includes('send_email'));
    assert(added.includes('send_message'));
    assert(!signedOff.includes('send_message'));
  });

  test('a client without a session that asks again gets the instructions of now', async (context) => {
    const home = makeHome(context, '');
    const [client, watching] = [startShim({ home }), startShim({ home })];
    await watching.initialize();
    const before = instructionsIn(await client.call('server/discover', stateless()));

    writeFileSync(join(home, 'config.yaml'), SOURCES);
    await watching.messages.notified('notifications/tools/list_changed');
    const now = instructionsIn(await client.call('server/discover', stateless()));
    await client.call('tools/list', stateless());
    const later = instructionsIn(await client.call('server/discover', stateless()));
    await Promise.all([client.stop(), watching.stop()]);

    assert.match(before, /No chat source is configured/);
    assert.match(now, /libera/);
    assert.equal(later, now);
  });
});
