import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { connected, sourcesOf, writeConfig } from '../support/chat/live-home.ts';
import { callTool, testReadingRows } from '../support/chat/network-rows.ts';
import type { World } from '../support/connectors/contract.ts';
import { removeHome, type Shim, startShim, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { xmppWorld } from '../support/xmpp/xmpp-world.ts';

describe('XMPP with the built program', { timeout: 300_000 }, () => {
  const home = join(temporaryFolder(after), 'home');
  let world: World;
  let shim: Shim;

  before(async () => {
    world = await xmppWorld();
    await world.peer.say('group', 'said before we came');
    writeConfig(home, {
      sources: {
        work: { kind: 'xmpp', name: 'Work', ...world.settings },
        wrong: { kind: 'xmpp', name: 'Wrong', ...world.wrongSettings },
      },
      daemon: { idle_exit_ms: 1_000 },
    });
    shim = startShim({ home });
    await shim.initialize();
    await connected(home, 'work');
  });
  after(async () => {
    await shim?.stop();
    removeHome(home);
    await world?.close();
  });

  const call = (name: string, args: object = {}) => callTool(shim, name, args);

  async function messages(args: object): Promise<JsonObject[]> {
    return (await call('get_messages', args)).messages as JsonObject[];
  }

  test('CHAT-05 a source with a wrong password reports it in our own text', async () => {
    await until('the password is rejected', async () => (await sourcesOf(home)).wrong?.state === 'rejected');

    const { wrong } = await sourcesOf(home);

    assert.equal(wrong?.is_connected, false);
    assert.equal(wrong?.problem, 'The server does not accept the address and the password.');
  });

  testReadingRows({ room: 'team', sender: 'bob' }, () => ({ shim, world }));

  test('a message sent by a tool or by the command arrives, and is stored once', async () => {
    const byTool = await call('send_message', { source: 'work', chat: 'team', text: 'sent by a tool' });
    const byCommand = await runProgram(
      ['chat', 'send', '--source', 'work', '--chat', world.chats.direct, 'sent by the command'],
      { home },
    );

    await world.peer.heard('group', 'sent by a tool');
    await world.peer.heard('direct', 'sent by the command');
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
      chat: world.unknownChat,
      text: 'is anybody there?',
    });

    assert.notEqual(status, 'sent');
  });

  test('messages missed while the server was unreachable arrive after reconnecting', async () => {
    await world.down();
    await until('the source is disconnected', async () => !(await sourcesOf(home)).work?.is_connected);
    await world.peer.say('group', 'said while we were away');
    await world.up();

    await until(
      'the message is stored',
      async () => (await messages({ search: 'while we were away' })).length === 1,
      60_000,
    );
  });
});
