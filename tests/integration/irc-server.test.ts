import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openConnection } from '../../src/connectors/irc/connection.ts';
import { type Pace, USUAL_PACE } from '../../src/connectors/irc/pace.ts';
import type { IrcSettings } from '../../src/connectors/irc/settings.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type BreakableProxy, breakableProxy } from '../support/connectors/breakable-proxy.ts';
import { startConnectedSource } from '../support/connectors/connected-source.ts';
import { startTlsProxy } from '../support/http/tls-proxy.ts';
import { startErgo } from '../support/irc/ergo.ts';
import { type IrcUser, ircUser } from '../support/irc/irc-user.ts';
import { until } from '../support/mcp/shim-program.ts';
import { silentLog } from '../support/operation-context.ts';
import { openStore, type Store } from '../support/store/open-store.ts';

const HASTY: Pace = { ...USUAL_PACE, burst: 100, lineMs: 1, rejoinMs: 20, regainMs: 50 };

test('a nickname in use is replaced, and reclaimed when it is free', async (context) => {
  const { port } = await server(context);
  const owner = await user(context, port, 'alice');

  const connection = await source(context, port);
  const watcher = await user(context, port, 'bob');
  await watcher.join('#x');
  await connection.isState('connected');
  await until('she is there under another name', async () => nicks(watcher).includes('alice_'));
  await owner.close();

  await watcher.line('that she takes it back', ({ nick, command, params }) => {
    return nick === 'alice_' && command === 'NICK' && params[0] === 'alice';
  });
});

test('names keep the case of the server, also after a restart and in history', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'BoB');
  await bob.join('#Team');
  const store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
  const start = () => source(context, port, { channels: ['#team'] }, { store });
  const first = await start();
  await first.isState('connected');
  await bob.line('alice', ({ command, nick }) => command === 'JOIN' && nick === 'alice');
  await bob.say('alice', 'psst');
  await bob.say('#team', 'hello');
  await first.arrived('bob', 'psst');
  await first.arrived('#team', 'hello');

  await first.send({ chat: 'bob', text: 'yes?' });
  await first.arrived('bob', 'yes?');
  await first.stop();
  const next = await start();
  await next.isState('connected');
  await next.send({ chat: 'bob', text: 'still there?' });
  await next.send({ chat: '#team', text: 'hello yourself' });

  const direct = await next.arrived('bob', 'still there?');
  const channel = await next.arrived('#team', 'hello yourself');
  assert.deepEqual([direct.chat.name, channel.chat.name], ['BoB', '#Team']);
  await next.stop();
  await store.close();
});

test('the certificate of the server is verified: a self-signed one must be configured', async (context) => {
  const { port } = await server(context);
  const { url, certificate } = await startTlsProxy(context, `http://127.0.0.1:${port}`);
  const tls = { port: Number(new URL(url).port), tls: true };

  const stranger = await source(context, port, tls);
  const friend = await source(context, port, { ...tls, ca: certificate });

  await stranger.isState('rejected');
  await friend.isState('connected');
  assert.match((await stranger.view()).problem ?? '', /certificate/);
});

test('the server password is sent, and a wrong one is reported', async (context) => {
  const { port } = await server(context, { password: 'open-sesame' });

  const right = await source(context, port, { server_password: 'open-sesame' });
  const wrong = await source(context, port, { server_password: 'sesame', nick: 'mallory' });

  await right.isState('connected');
  await wrong.isState('rejected');
  assert.equal((await wrong.view()).problem, 'The server did not accept its password.');
});

/** Until alice is back; something is said meanwhile. */
async function kickOut(bob: IrcUser): Promise<void> {
  const from = bob.seen.length;
  bob.write('KICK #x alice :out');
  bob.write('PRIVMSG #x :is she gone?');
  await bob.line('her return', ({ command, nick }) => command === 'JOIN' && nick === 'alice', from);
}

test('after a kick it rejoins the channel, and fetches the messages it missed', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  const connection = await source(context, port);
  await joined(bob);

  await bob.say('#x', 'out with you');
  await connection.arrived('#x', 'out with you');
  await connection.historySettled();

  await kickOut(bob);
  await bob.say('#x', 'welcome back');

  await connection.arrived('#x', 'welcome back');
  await connection.arrived('#x', 'is she gone?');
  assert.deepEqual(await connection.texts('#x'), ['out with you', 'is she gone?', 'welcome back']);
});

test('after a kick it fetches what it missed, also where nothing was said before', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  await bob.say('#x', 'before');
  const connection = await source(context, port);
  await joined(bob);
  await connection.arrived('#x', 'before');
  await connection.historySettled();

  await kickOut(bob);
  await bob.say('#x', 'welcome back');

  await connection.arrived('#x', 'welcome back');
  await connection.arrived('#x', 'is she gone?');
  assert.deepEqual(await connection.texts('#x'), ['before', 'is she gone?', 'welcome back']);
});

test('joining a channel that refuses us is retried', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  await bob.ask('MODE #x +i');
  const connection = await source(context, port);
  await connection.isState('connected');

  await bob.ask('MODE #x -i');

  await joined(bob);
});

test('a message to a channel that refuses us fails at once, with the reason, and arrives when we are let in', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  await bob.ask('MODE #x +i');
  const connection = await source(context, port, {}, { rejoinMs: 500, answerMs: 60_000 });
  await connection.isState('connected');
  const started = performance.now();

  const refused = await connection.attempt({ chat: '#x', text: 'let me in' });
  const again = await connection.attempt({ chat: '#x', text: 'let me in' });
  const took = performance.now() - started;
  await bob.ask('MODE #x -i');
  await joined(bob);

  const reason = 'We are not in this channel: the channel is open only to those who are invited.';
  assert.partialDeepStrictEqual([refused, again], Array(2).fill({ kind: 'not-sent', reason, retry: true }));
  assert.ok(took < 3_000, `it took ${Math.round(took)} ms`);
  await connection.send({ chat: '#x', text: 'thank you' });
});

test('a server that stops responding is disconnected, then reconnected', async (context) => {
  const { port } = await server(context);
  const proxy = await line(context, port);
  const connection = await source(context, proxy.port, {}, { silenceMs: 200 });
  await connection.isState('connected');

  proxy.silence();

  await until('it is connected anew', () => connection.opened() > 1);
  await connection.isState('connected');
});

test('a long or multi-line text is split into lines that fit, without loss', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  const connection = await source(context, port);
  await joined(bob);
  const text = `${'wörter und 😀 '.repeat(150)}\n\nsecond line\r\nQUIT :not a command\r\nlast line`;

  const sent = await connection.send({ chat: '#x', text });

  await connection.arrived('#x', 'last line');
  await bob.line('her last line', ({ params }) => params[1] === 'last line');
  const heard = bob.seen.filter(({ command, nick }) => command === 'PRIVMSG' && nick === 'alice');
  assert.equal(heard.map(({ params }) => params[1]).join(''), text.replace(/[\r\n]+/g, ''));
  assert.ok(heard.every(({ raw }) => Buffer.byteLength(raw.replace(/^@\S+ /, '')) <= 510));
  assert.equal(sent.id, heard[0]?.tags.msgid);
  assert.equal(connection.opened(), 1);
});

test('CTCP actions are sent and stored as /me', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  const connection = await source(context, port);
  await joined(bob);

  await bob.say('#x', '\x01ACTION waves\x01');
  await connection.send({ chat: '#x', text: '/me waves back' });

  await connection.arrived('#x', '/me waves');
  await connection.arrived('#x', '/me waves back');
  await bob.line('her wave', ({ params }) => params[1] === '\x01ACTION waves back\x01');
});

test('bytes that are not valid UTF-8 are read as Latin-1', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  const connection = await source(context, port);
  await joined(bob);

  bob.writeBytes(Buffer.from('PRIVMSG #x :gr\xfc\xdfe\r\n', 'latin1'));

  await connection.arrived('#x', 'grüße');
});

test('a channel has its number of members, and a new topic is reported', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  const connection = await source(context, port);
  await joined(bob);
  const carol = await user(context, port, 'carol');
  await carol.join('#x');

  await bob.ask('TOPIC #x :Release day');
  await bob.say('#x', 'how many are we?');

  const { chat } = await connection.arrived('#x', 'how many are we?');
  assert.equal(chat.participantCount, 3);
  const topic = await connection.arrived('#x', 'changed the topic to: Release day');
  assert.equal(topic.contentType, 'system');
});

test('whether a message was sent is found in the history', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  const connection = await source(context, port);
  await joined(bob);

  const outgoing = { id: 'out-7', chat: '#x', text: 'did it leave?' };
  const sent = await connection.sendAs(outgoing);

  assert.deepEqual(await connection.wasSent(outgoing), sent);
  assert.equal((await connection.wasSent({ ...outgoing, id: 'out-8' })).kind, 'absent');
});

test('a message of another user with our id does not count as ours', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  const connection = await source(context, port);
  await joined(bob);
  const outgoing = { id: 'out-7', chat: '#x', text: 'did it leave?' };

  await bob.ask('PRIVMSG #x :did it leave?', '+switchboard/id=out-7');
  await connection.arrived('#x', 'did it leave?');

  assert.equal((await connection.wasSent(outgoing)).kind, 'absent');
});

test('if the history since then exceeds one page, a missing message is not reported as unsent', async (context) => {
  const { port } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  const connection = await source(context, port);
  await joined(bob);
  const outgoing = { id: 'out-7', chat: '#x', text: 'did it leave?' };
  for (let line = 0; line < 110; line += 1) await bob.say('#x', `line ${line}`);

  assert.equal((await connection.wasSent({ ...outgoing, since: Date.now() })).kind, 'unknown');

  assert.equal((await connection.wasSent({ ...outgoing, since: Date.now() + 3_600_000 })).kind, 'absent');
});

test('a server that lost its history is caught up with as far as possible', async (context) => {
  const { port, stop } = await server(context);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  const connection = await source(context, port);
  await joined(bob);
  await bob.say('#x', 'before');
  await connection.arrived('#x', 'before');
  await connection.historySettled();

  await stop();
  await connection.isState('waiting');
  await server(context, { port });
  const again = await user(context, port, 'bob');
  await again.join('#x');
  for (const text of ['after', 'much later']) await again.say('#x', text);

  await connection.arrived('#x', 'much later');
  await connection.arrived('#x', 'after');
  assert.deepEqual(await connection.texts('#x'), ['before', 'after', 'much later']);
});

test('a server without history: messages are stored while it is connected', async (context) => {
  const { port } = await server(context, { history: false });
  const proxy = await line(context, port);
  const bob = await user(context, port, 'bob');
  await bob.join('#x');
  const connection = await source(context, proxy.port);
  await joined(bob);

  await bob.say('#x', 'heard');
  await connection.arrived('#x', 'heard');
  const from = bob.seen.length;
  proxy.cut();
  await bob.line('her return', ({ command, nick }) => command === 'JOIN' && nick.startsWith('alice'), from);
  await bob.say('#x', 'heard again');

  await connection.arrived('#x', 'heard again');
  assert.equal((await connection.view()).historyComplete, undefined);
});

async function server(context: TestContext, options: Parameters<typeof startErgo>[0] = {}) {
  const ergo = await startErgo(options);
  context.after(ergo.stop);
  return ergo;
}

async function user(context: TestContext, port: number, nick: string): Promise<IrcUser> {
  const joining = await ircUser(port, { nick });
  context.after(joining.close);
  return joining;
}

async function line(context: TestContext, port: number): Promise<BreakableProxy> {
  const proxy = await breakableProxy(port);
  context.after(proxy.close);
  return proxy;
}

async function source(
  context: TestContext,
  port: number,
  settings: Partial<IrcSettings> = {},
  { store: shared, ...pace }: Partial<Pace> & { store?: Store } = {},
) {
  const store = shared ?? (await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog }));
  const connection = await startConnectedSource({
    kind: 'irc',
    open: (settings, host) => openConnection(settings, host, { ...HASTY, ...pace }),
    settings: { host: '127.0.0.1', port, tls: false, nick: 'alice', channels: ['#x'], ...settings },
    store,
  });
  context.after(async () => {
    await connection.stop();
    if (!shared) await store.close();
  });
  return connection;
}

/** Resolves when the source is in the channel, as another member sees it. */
async function joined(bob: IrcUser): Promise<void> {
  await bob.line('that alice joins', ({ command, nick }) => command === 'JOIN' && nick === 'alice');
}

function nicks(watcher: IrcUser): string[] {
  return watcher.seen.flatMap(({ command, nick, params }) => {
    if (command === '353') return (params[3] ?? '').split(' ').map((name) => name.replace(/^[~&@%+]/, ''));
    return command === 'JOIN' ? [nick] : [];
  });
}
