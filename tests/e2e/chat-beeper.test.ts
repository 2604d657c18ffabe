import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TOKEN } from '../support/beeper/beeper-server.ts';
import { beeperWorld } from '../support/beeper/beeper-world.ts';
import { connected, sourcesOf } from '../support/chat/live-home.ts';
import { networkProgram } from '../support/chat/network-program.ts';
import { callTool, testReadingRows } from '../support/chat/network-rows.ts';
import { daemonStatus, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';

const EACH = 20;

describe('CHAT-34 Beeper with the built program', { timeout: 300_000 }, () => {
  const network = networkProgram({
    open: async () => {
      const world = await beeperWorld();
      await world.peer.say('group', 'said before we came');
      return world;
    },
    sources: ({ settings: { url } }) => ({ work: { kind: 'beeper', name: 'Work', url } }),
  });
  const { home, messages } = network;

  test('the access token is asked for by `chat login`, and is shown nowhere', async () => {
    await until('the source is rejected', async () => (await sourcesOf(home)).work?.state === 'rejected');

    const login = await runProgram(['chat', 'login', 'work'], { home, stdin: `${TOKEN}\n` });

    assert.deepEqual([login.code, login.stdout], [0, 'work is connected.\n'], login.stderr);
    assert.ok(!`${login.stdout}${login.stderr}`.includes(TOKEN));
    await connected(home, 'work');
  });

  testReadingRows({ room: 'Team (WhatsApp)', sender: 'Bob' }, () => network);

  test('a message sent by a tool arrives, and is stored once', async () => {
    const { status } = await callTool(network.shim, 'send_message', {
      source: 'work',
      chat: 'Team (WhatsApp)',
      text: 'sent by a tool',
    });

    await network.world.peer.heard('group', 'sent by a tool');
    assert.equal(status, 'sent');
    await until('it is stored', async () => (await messages({ search: 'sent by a tool' })).length > 0);
    assert.equal((await messages({ search: 'sent by a tool' })).length, 1);
  });

  test('a daemon killed while messages arrive and history is fetched loses nothing and stores nothing twice', async () => {
    await network.world.writeOld?.(2_000);
    const { pid } = await daemonStatus(home);
    const said = Array.from({ length: EACH }, (_, index) => `traffic ${index}`);

    const saying = (async () => {
      for (const text of said) {
        await network.world.peer.say('group', text);
        await new Promise(setImmediate);
      }
    })();
    process.kill(pid, 'SIGKILL');
    await saying;
    await connected(home, 'work');
    await until('the history is complete', async () => (await sourcesOf(home)).work?.messages === 2_000 + EACH + 4);

    const { stdout } = await runProgram(
      ['chat', 'messages', 'work:Team (WhatsApp)', '--search', 'traffic', '--limit', '500', '--json'],
      { home },
    );
    const found = (JSON.parse(stdout) as { messages: { content: string }[] }).messages;
    assert.deepEqual(found.map(({ content }) => content).reverse(), said);
  });
});
