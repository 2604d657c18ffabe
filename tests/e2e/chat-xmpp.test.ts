import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { connected, sourcesOf } from '../support/chat/live-home.ts';
import { networkProgram } from '../support/chat/network-program.ts';
import { testReadingRows } from '../support/chat/network-rows.ts';
import { until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { xmppWorld } from '../support/xmpp/xmpp-world.ts';

describe('XMPP with the built program', { timeout: 300_000 }, () => {
  const network = networkProgram({
    open: async () => {
      const world = await xmppWorld();
      await world.peer.say('group', 'said before we came');
      return world;
    },
    sources: ({ settings, wrongSettings }) => ({
      work: { kind: 'xmpp', name: 'Work', ...settings },
      wrong: { kind: 'xmpp', name: 'Wrong', ...wrongSettings },
    }),
  });
  const { home, call, messages } = network;
  before(() => connected(home, 'work'));

  test('CHAT-05 a source with a wrong password reports it in our own text', async () => {
    await until('the password is rejected', async () => (await sourcesOf(home)).wrong?.state === 'rejected');

    const { wrong } = await sourcesOf(home);

    assert.equal(wrong?.is_connected, false);
    assert.equal(wrong?.problem, 'The server does not accept the address and the password.');
  });

  testReadingRows({ room: 'team', sender: 'bob' }, () => network);

  test('a message sent by a tool or by the command arrives, and is stored once', async () => {
    const byTool = await call('send_message', { source: 'work', chat: 'team', text: 'sent by a tool' });
    const byCommand = await runProgram(
      ['chat', 'send', '--source', 'work', '--chat', network.world.chats.direct, 'sent by the command'],
      { home },
    );

    await network.world.peer.heard('group', 'sent by a tool');
    await network.world.peer.heard('direct', 'sent by the command');
    assert.equal(byTool.status, 'sent');
    assert.equal(byCommand.code, 0, byCommand.stderr);
    await until('both messages are stored', async () => (await messages({ search: 'sent by' })).length >= 2);
    assert.deepEqual((await messages({ search: 'sent by' })).map(({ content }) => content).sort(), [
      'sent by a tool',
      'sent by the command',
    ]);
  });

  test('a message that the server returns is not reported as sent', async () => {
    const { status } = await call('send_message', {
      source: 'work',
      chat: network.world.unknownChat,
      text: 'is anybody there?',
    });

    assert.notEqual(status, 'sent');
  });

  test('messages missed while the server was unreachable arrive after reconnecting', async () => {
    await network.world.down();
    await until('the source is disconnected', async () => !(await sourcesOf(home)).work?.is_connected);
    await network.world.peer.say('group', 'said while we were away');
    await network.world.up();

    await until(
      'the message is stored',
      async () => (await messages({ search: 'while we were away' })).length === 1,
      60_000,
    );
  });
});
