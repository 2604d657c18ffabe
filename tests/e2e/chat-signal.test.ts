import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { connected, sourcesOf } from '../support/chat/live-home.ts';
import { networkProgram } from '../support/chat/network-program.ts';
import { testReadingRows } from '../support/chat/network-rows.ts';
import { daemonStatus, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { ME } from '../support/signal/signal-model.ts';
import { signalWorld } from '../support/signal/signal-world.ts';

const KILLS = 3;
const EACH = 20;

describe('CHAT-34 Signal with the built program, which starts signal-cli', { timeout: 300_000 }, () => {
  const network = networkProgram({
    open: async () => {
      const world = await signalWorld('program', { linked: false });
      await world.peer.say('group', 'said before we came');
      return world;
    },
    sources: ({ settings: { folder: _, ...settings } }, home) => ({
      work: { kind: 'signal', name: 'Work', ...settings },
      missing: { kind: 'signal', name: 'Missing', program: join(home, 'no-such-program') },
    }),
  });
  const { home, call, messages } = network;

  test('an account that is not linked is linked by the code that `chat login` shows', async () => {
    await until('the source is rejected', async () => (await sourcesOf(home)).work?.state === 'rejected');
    const { work } = await sourcesOf(home);
    const { scans } = network.world.model;
    scans.once('waiting', ({ deviceLinkUri }) => scans.emit(deviceLinkUri, { number: ME.number }));

    const login = await runProgram(['chat', 'login', 'work'], { home });

    assert.match(work?.problem ?? '', /`switchboard chat login work`/);
    assert.deepEqual([login.code, login.stdout], [0, 'work is connected.\n'], login.stderr);
    assert.match(login.stderr, /^Scan this as a QR code with your phone: sgnl:\/\/linkdevice\?uuid=1&pub_key=/);
    await connected(home, 'work');
  });

  test('CHAT-05 a source without signal-cli says what to install', async () => {
    await until('it is rejected', async () => (await sourcesOf(home)).missing?.state === 'rejected');

    const { missing } = await sourcesOf(home);

    assert.match(missing?.problem ?? '', /^signal-cli was not found: install it/);
  });

  testReadingRows({ room: 'Team', sender: 'Bob' }, () => network);

  test('a message sent by a tool or by the command arrives, and is stored once', async () => {
    const byTool = await call('send_message', { source: 'work', chat: 'Team', text: 'sent by a tool' });
    const byCommand = await runProgram(['chat', 'send', '--source', 'work', '--chat', 'Bob', 'sent by the command'], {
      home,
    });

    await network.world.peer.heard('group', 'sent by a tool');
    await network.world.peer.heard('direct', 'sent by the command');
    assert.deepEqual([byTool.status, byCommand.code], ['sent', 0], byCommand.stderr);
    const stored = await messages({ source: 'work', search: 'sent by' });
    assert.deepEqual(stored.map(({ content }) => content).sort(), ['sent by a tool', 'sent by the command']);
  });

  test('a message to someone who is not registered is not reported as sent', async () => {
    const { status } = await call('send_message', { source: 'work', chat: network.world.unknownChat, text: 'hello?' });

    assert.notEqual(status, 'sent');
  });

  test(`a daemon killed ${KILLS} times under traffic loses nothing and stores nothing twice`, async () => {
    const said: string[] = [];
    const say = async (round: number) => {
      for (let index = 0; index < EACH; index += 1) {
        said.push(`traffic ${round}.${index}`);
        await network.world.peer.say('group', `traffic ${round}.${index}`);
        // In turns with the daemon, which is killed at any place among them.
        await new Promise(setImmediate);
      }
    };

    for (let round = 0; round < KILLS; round += 1) {
      await connected(home, 'work');
      const { pid } = await daemonStatus(home);
      const saying = say(round);
      process.kill(pid, 'SIGKILL');
      await saying;
    }

    const stored = async () => {
      const { stdout } = await runProgram(
        ['chat', 'messages', 'work:Team', '--search', 'traffic', '--limit', '500', '--json'],
        { home },
      );
      return (JSON.parse(stdout) as { messages: { content: string }[] }).messages.map(({ content }) => content);
    };
    await until('the last one is stored', async () => (await stored()).includes(said.at(-1) ?? ''));
    assert.deepEqual((await stored()).reverse(), said);
  });
});
