import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Ergo, startErgo } from '../support/irc/ergo.ts';
import { type IrcUser, ircUser } from '../support/irc/irc-user.ts';
import { startHttp, startStdio } from '../support/mcp/mcp-program.ts';
import { openSession } from '../support/mcp/rpc-http.ts';
import { until } from '../support/mcp/shim-program.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';
const OWNERS = { authorization: `Bearer ${OWNER}`, 'content-type': 'application/json' };

function configure(home: string, port: number, more = '', channels = ['#dev', '#ops']): void {
  mkdirSync(home, { recursive: true });
  const source = `{ kind: irc, host: 127.0.0.1, port: ${port}, tls: false, nick: board, channels: ${JSON.stringify(channels)}${more} }`;
  writeFileSync(
    join(home, 'config.yaml'),
    `auth: { token: ${OWNER} }\nsources:\n  ops: ${source}\n  hook: { kind: webhook }\n`,
  );
}

const json = ({ stdout, stderr }: { stdout: string; stderr: string }) => JSON.parse(stdout || stderr);

describe('sending with the built program', () => {
  const home = join(temporaryFolder(after), 'home');
  let ergo: Ergo;
  let bob: IrcUser;
  let program: Awaited<ReturnType<typeof startHttp>>;
  let session: Awaited<ReturnType<typeof openSession>>;

  before(async () => {
    ergo = await startErgo();
    bob = await ircUser(ergo.port, { nick: 'bob' });
    for (const channel of ['#dev', '#ops']) await bob.join(channel);
    configure(home, ergo.port);
    program = await startHttp({ home });
    session = await openSession(program.url, { authorization: OWNERS.authorization });
    for (const channel of ['#dev', '#ops']) await here('JOIN', channel);
  });

  after(async () => {
    await program?.stop();
    await bob?.close();
    await ergo?.stop();
  });

  const here = (command: string, ...params: string[]) =>
    bob.line(
      `${command} ${params}`,
      (line) =>
        line.nick === 'board' && line.command === command && params.every((each, index) => line.params[index] === each),
    );
  const received = (chat: string, text: string) => here('PRIVMSG', chat, text);
  const command = (...args: string[]) => runProgram([...args, '--json'], { home });
  const countOf = (text: string) =>
    bob.seen.filter(({ nick, params }) => nick === 'board' && params[1] === text).length;

  async function send(args: object): Promise<Record<string, string>> {
    const { result } = await session.call('tools/call', {
      name: 'send_message',
      arguments: { source: 'ops', ...args },
    });
    return result?.structuredContent as Record<string, string>;
  }

  async function tokenWith(name: string, ...options: string[]): Promise<Record<string, string>> {
    const added = json(await command('token', 'add', name, '--scopes', 'chat:send,chat:read', ...options));
    return { ...OWNERS, authorization: `Bearer ${added.token}` };
  }

  async function post(headers: Record<string, string>, body: object) {
    const url = `${program.base}/api/v1/sources/ops/send`;
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return {
      status: answer.status,
      body: (await answer.json()) as Record<string, string> & { error?: { code: string } },
    };
  }

  test('a message sent by the tool arrives, and is in the history under the returned id', async () => {
    const sent = await send({ chat: '#dev', text: 'by the tool' });

    await received('#dev', 'by the tool');
    const { result } = await session.call('tools/call', {
      name: 'get_messages',
      arguments: { source: 'ops', chat: '#dev', search: 'by the tool' },
    });
    assert.partialDeepStrictEqual(sent, { status: 'sent', chat_id: '#dev' });
    assert.partialDeepStrictEqual(result?.structuredContent, {
      messages: [{ id: sent.message_id, content: 'by the tool' }],
    });
  });

  test('a message sent by the command or by REST arrives, also in a direct chat', async () => {
    const byCommand = await command('chat', 'send', '--source', 'ops', '--chat', '#ops', 'by the command');
    const byRest = await post(OWNERS, { chat: 'Bob', text: 'by REST' });

    await received('#ops', 'by the command');
    await received('bob', 'by REST');
    assert.deepEqual([byCommand.code, json(byCommand).status], [0, 'sent']);
    assert.deepEqual([byRest.status, byRest.body.status, byRest.body.chat_id], [200, 'sent', 'bob']);
  });

  test('a message sent twice with one idempotency key is sent once', async () => {
    const message = { chat: '#dev', text: 'only once', idempotency_key: 'k1' };

    const [first, second] = [await send(message), await send(message)];
    await send({ chat: '#dev', text: 'the end of it' });
    await received('#dev', 'the end of it');

    assert.deepEqual(first, second);
    assert.equal(countOf('only once'), 1);
  });

  test('a command that is interrupted while its message is being sent does not stop it', async () => {
    const args = ['chat', 'send', '--source', 'ops', '--chat', '#ops', 'interrupted', '--json'];
    const items = async () => json(await command('outbox', 'list', '--all')).items as { text: string; state: string }[];
    const state = async () => (await items()).find(({ text }) => text === 'interrupted')?.state;
    ergo.pause(true);
    const sending = startProgram(args, { home });
    const ended = once(sending, 'close');
    await until('the message is being sent', async () => (await state()) === 'sending');

    sending.kill('SIGINT');
    const [code] = await ended;
    ergo.pause(false);
    await received('#ops', 'interrupted');
    await until('it is known to be sent', async () => (await state()) === 'sent');

    assert.equal(code, 1);
    assert.equal(countOf('interrupted'), 1);
  });

  test('sending to an unknown chat or source is an error', async () => {
    const [failed, mute, unknown] = [
      await send({ chat: '#nowhere', text: 'x' }),
      await send({ source: 'hook', chat: 'x', text: 'x' }),
      await command('chat', 'send', '--source', 'signal', '--chat', 'x', 'x'),
    ];

    assert.equal(failed.status, 'failed');
    assert.partialDeepStrictEqual(mute, { error: { code: 'INVALID_PARAMETER', field: 'source' } });
    assert.deepEqual([unknown.code, json(unknown).error.code], [1, 'SOURCE_NOT_FOUND']);
  });

  test('messages of a token with the policy hold wait until the user approves or discards them', async () => {
    const headers = await tokenWith('held', '--send', 'hold');

    const [yes, no] = [
      await post(headers, { chat: '#dev', text: 'approved' }),
      await post(headers, { chat: '#dev', text: 'discarded' }),
    ];
    const listed = json(await command('outbox', 'list', '--state', 'held'));
    const discarded = json(await command('outbox', 'discard', no.body.outbox_id ?? '', '--reason', 'No.'));
    const approved = json(await command('outbox', 'approve', yes.body.outbox_id ?? ''));
    await received('#dev', 'approved');

    assert.deepEqual([yes.body.status, no.body.status], ['held', 'held']);
    assert.partialDeepStrictEqual(listed.items[1], { to: '#dev', text: 'approved', by: 'held' });
    assert.match(listed.items[1].reason, /^The policy of the token held asks for a person’s approval\.$/);
    assert.deepEqual([approved.state, discarded.state, discarded.reason], ['sent', 'discarded', 'No.']);
    assert.deepEqual([countOf('approved'), countOf('discarded')], [1, 0]);
  });

  test('a token with the policy deny cannot send, and a token with a grant can send only to its chats', async () => {
    const denied = await tokenWith('denied', '--send', 'deny');
    const confined = await tokenWith('confined', '--chats', 'ops:#dev,ops:#ops', '--send-chats', 'ops:#dev');

    const answers = [
      await post(denied, { chat: '#dev', text: 'refused' }),
      await post(confined, { chat: '#ops', text: 'refused' }),
      await post(confined, { chat: 'bob', text: 'refused' }),
      await post(confined, { chat: '#dev', text: 'confined' }),
    ];
    await received('#dev', 'confined');

    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 403, 403, 200],
    );
    assert.equal(countOf('refused'), 0);
  });

  test('a changed policy in the file applies immediately, to all callers', async () => {
    configure(home, ergo.port, ', policy: { allowed_recipients: ["#ops"] }');

    let answer = await post(OWNERS, { chat: '#dev', text: 'before' });
    while (answer.status === 200) answer = await post(OWNERS, { chat: '#dev', text: 'before' });
    const allowed = await post(OWNERS, { chat: '#ops', text: 'allowed' });

    assert.equal(answer.body.error?.code, 'FORBIDDEN');
    assert.equal(allowed.body.status, 'sent');
  });

  test('CHAT-25 the tool is listed only on the combined endpoint, and not with --read-only', async () => {
    const alone = await openSession(`${program.url}/chat`, { authorization: OWNERS.authorization });
    const reading = startStdio({ home }, ['--read-only']);

    const names = ({ result }: { result?: Record<string, unknown> }) =>
      ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
    const [all, three] = [names(await session.call('tools/list')), names(await alone.call('tools/list'))];
    await reading.initialize();
    const readOnly = names(await reading.call('tools/list'));
    await reading.stop();

    assert.deepEqual(three, ['get_messages', 'list_chats', 'list_sources']);
    assert.ok(all.includes('send_message') && readOnly.includes('get_messages'));
    assert.equal(readOnly.includes('send_message'), false);
    assert.deepEqual(
      all.filter((name) => name.includes('outbox') || name.includes('approve')),
      [],
    );
  });
});

test('a message sent by a command that first starts the daemon arrives, and is reported as sent', async (context) => {
  const home = join(temporaryFolder(after), 'home');
  const ergo = await startErgo();
  context.after(() => runProgram(['daemon', 'stop'], { home }));
  context.after(() => ergo.stop());
  configure(home, ergo.port);

  const sent = await runProgram(['chat', 'send', '--source', 'ops', '--chat', '#dev', 'at once', '--json'], { home });

  assert.deepEqual([sent.code, json(sent).status], [0, 'sent'], sent.stderr);
});

test('messages to ten channels that refuse us delay none to another channel', async (context) => {
  const home = join(temporaryFolder(after), 'home');
  const closed = Array.from({ length: 10 }, (_, number) => `#y${number}`);
  const ergo = await startErgo();
  context.after(() => ergo.stop());
  const bob = await ircUser(ergo.port, { nick: 'bob' });
  context.after(() => bob.close());
  for (const channel of closed) {
    await bob.join(channel);
    await bob.ask(`MODE ${channel} +i`);
  }
  await bob.join('#dev');
  configure(home, ergo.port, '', [...closed, '#dev']);
  const program = await startHttp({ home });
  context.after(() => program.stop());
  await bob.line('that it joins', ({ command, nick }) => command === 'JOIN' && nick === 'board');
  const send = async (chat: string) =>
    json(await runProgram(['chat', 'send', '--source', 'ops', '--chat', chat, 'hello', '--json'], { home }));

  const queued = await Promise.all(closed.map(send));
  const started = performance.now();
  const sent = await send('#dev');
  const took = performance.now() - started;

  assert.deepEqual(new Set(queued.map(({ status }) => status)), new Set(['queued']));
  assert.equal(sent.status, 'sent');
  assert.ok(took < 4_000, `it took ${Math.round(took)} ms`);
});

describe('a message sent while the network is unreachable', () => {
  test('is queued, survives a restart of the program, and arrives once after reconnecting', async (context) => {
    const home = join(temporaryFolder(after), 'home');
    const first = await startErgo();
    const { port } = first;
    await first.stop();
    configure(home, port);
    const away = await startHttp({ home });
    const queued = await runProgram(['chat', 'send', '--source', 'ops', '--chat', '#dev', 'later', '--json'], { home });
    away.signal('SIGKILL');
    await away.ended();

    const ergo = await startErgo({ port });
    context.after(() => ergo.stop());
    const bob = await ircUser(port, { nick: 'bob' });
    context.after(() => bob.close());
    await bob.join('#dev');
    const back = await startHttp({ home });
    context.after(() => back.stop());
    await bob.line('the message', ({ command, params }) => command === 'PRIVMSG' && params[1] === 'later');
    const settled = await runProgram(['outbox', 'show', json(queued).outbox_id, '--json'], { home });

    assert.deepEqual([queued.code, json(queued).status], [0, 'queued']);
    assert.match(json(queued).reason, /not connected/);
    assert.ok(['sent', 'sending'].includes(json(settled).state));
    assert.equal(bob.seen.filter(({ params }) => params[1] === 'later').length, 1);
  });
});
