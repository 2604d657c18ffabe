import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { connected, sourcesOf } from '../support/chat/live-home.ts';
import { networkProgram } from '../support/chat/network-program.ts';
import { testReadingRows } from '../support/chat/network-rows.ts';
import { until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { telegramWorld } from '../support/telegram/telegram-world.ts';

describe('CHAT-34 Telegram with the built program', { timeout: 300_000 }, () => {
  const network = networkProgram({
    open: async () => {
      const world = await telegramWorld();
      await world.peer.say('group', 'said before we came');
      return world;
    },
    sources: ({ settings, wrongSettings }) => ({
      work: { kind: 'telegram', name: 'Work', ...settings },
      wrong: { kind: 'telegram', name: 'Wrong', ...wrongSettings },
    }),
  });
  const { home, call, messages } = network;
  before(() => connected(home, 'work'));

  test('CHAT-05 a session that Telegram has ended is reported in our own text', async () => {
    await until('the session is rejected', async () => (await sourcesOf(home)).wrong?.state === 'rejected');

    const { wrong } = await sourcesOf(home);

    assert.equal(wrong?.is_connected, false);
    assert.equal(wrong?.problem, 'Telegram has ended this session. Sign in again: `switchboard chat login wrong`.');
  });

  testReadingRows({ room: 'team', sender: 'Ann Li' }, () => network);

  test('CHAT-06 CHAT-07 chats of all kinds are listed', async () => {
    const { chats } = (await call('list_chats', { source: 'work' })) as { chats: JsonObject[] };

    assert.deepEqual(chats.map(({ name, type }) => `${name}: ${type}`).sort(), [
      'Ann Li: direct',
      'Family: group',
      'News: channel',
      'Saved Messages: direct',
      'team: group',
    ]);
  });

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
