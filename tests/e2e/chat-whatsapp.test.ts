import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { connected, sourcesOf } from '../support/chat/live-home.ts';
import { networkProgram } from '../support/chat/network-program.ts';
import { testReadingRows } from '../support/chat/network-rows.ts';
import { daemonStatus, until } from '../support/mcp/shim-program.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { historyOf } from '../support/whatsapp/old-messages.ts';
import { GROUP, whatsappWorld } from '../support/whatsapp/whatsapp-world.ts';

const OLD = 12_000;
const PARTS = 8;
const KILLS = 3;
const EACH = 15;

describe('CHAT-34 WhatsApp with the built program', { timeout: 300_000 }, () => {
  const network = networkProgram({
    open: () => whatsappWorld({ linked: false }),
    sources: ({ settings }) => ({ work: { kind: 'whatsapp', name: 'Work', ...settings } }),
  });
  const { home, call, messages } = network;

  /** Oldest first. */
  async function stored(search: string): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await call('get_messages', {
        source: 'work',
        chat: 'Team',
        search,
        limit: 500,
        ...(cursor === undefined ? {} : { cursor }),
      });
      found.push(...(page.messages as JsonObject[]).map(({ content }) => String(content)));
      cursor = page.next_cursor as string | undefined;
    } while (cursor !== undefined);
    return found.reverse();
  }

  async function kill(): Promise<void> {
    const { pid } = await daemonStatus(home);
    process.kill(pid, 'SIGKILL');
  }

  test('an account that is not linked is linked by the QR code that `chat login` shows', async () => {
    await until('the source is rejected', async () => (await sourcesOf(home)).work?.state === 'rejected');
    const { work } = await sourcesOf(home);

    const program = startProgram(['chat', 'login', 'work'], { home });
    const closed = once(program, 'close');
    program.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      const [code] = /https:\/\/wa\.me\/\S+/.exec(chunk) ?? [];
      if (code !== undefined) network.world.server.scan(code);
    });
    const [code] = await closed;

    assert.match(work?.problem ?? '', /switchboard chat login work/);
    assert.equal(code, 0);
    await network.world.peer.say('group', 'said before we came');
    await connected(home, 'work');
  });

  testReadingRows({ room: 'Team', sender: 'Antti' }, () => network);

  test('CHAT-06 the group has its name and the number of its members', async () => {
    const { chats } = await call('list_chats', { source: 'work' });

    const group = (chats as JsonObject[]).find(({ id }) => id === GROUP);
    assert.partialDeepStrictEqual(group, { name: 'Team', type: 'group', participant_count: 2 });
  });

  test('a message sent by a tool or by the command arrives, and is stored once', async () => {
    const byTool = await call('send_message', { source: 'work', chat: 'Team', text: 'sent by a tool' });
    const byCommand = await runProgram(
      ['chat', 'send', '--source', 'work', '--chat', '+358 40 1234567', 'sent by the command'],
      { home },
    );

    await network.world.peer.heard('group', 'sent by a tool');
    await network.world.peer.heard('direct', 'sent by the command');
    assert.deepEqual([byTool.status, byCommand.code], ['sent', 0], byCommand.stderr);
    const found = await messages({ search: 'sent by' });
    assert.deepEqual(found.map(({ content }) => content).sort(), ['sent by a tool', 'sent by the command']);
  });

  test('a message to a number that is not on WhatsApp is not reported as sent', async () => {
    const { status } = await call('send_message', { source: 'work', chat: network.world.unknownChat, text: 'hello?' });

    assert.notEqual(status, 'sent');
  });

  test(`a daemon killed in the middle of the history has all ${OLD} messages of it once, and in order`, async () => {
    const history = historyOf(GROUP, network.world.antti.jid, OLD, PARTS);
    for (const part of history) await network.world.phone.sendHistory(part, { asFile: true });

    for (const enough of [1_000, 5_000]) {
      await until('a part is stored', async () => ((await sourcesOf(home)).work?.messages ?? 0) > enough);
      await kill();
      await connected(home, 'work');
    }
    await until('all is stored', async () => ((await sourcesOf(home)).work?.messages ?? 0) >= OLD);

    const texts = (await stored('old')).filter((text) => text.startsWith('old '));
    assert.deepEqual(
      texts,
      Array.from({ length: OLD }, (_, index) => `old ${index}`),
    );
  });

  test(`a daemon killed ${KILLS} times under traffic loses nothing and stores nothing twice`, async () => {
    const said = Array.from({ length: KILLS * EACH }, (_, index) => `traffic ${index}`);
    const { retries, refused } = network.world.server.counts;

    for (let round = 0; round < KILLS; round += 1) {
      await connected(home, 'work');
      const saying = Promise.all(
        said.slice(round * EACH, (round + 1) * EACH).map((text) => network.world.peer.say('group', text)),
      );
      await kill();
      await saying;
    }
    await connected(home, 'work');
    await until('the last one is stored', async () => (await stored('traffic')).includes(said.at(-1) ?? ''));

    assert.deepEqual(await stored('traffic'), said);
    assert.deepEqual(
      [network.world.server.counts.retries, network.world.server.counts.refused],
      [retries, refused],
      'a message had to be sent again',
    );
  });

  test('no file of the home contains a private key in plain text, not even the log', async () => {
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map((entry) => join(entry.parentPath, entry.name));
    const holding = (pattern: RegExp) => paths.filter((path) => pattern.test(readFileSync(path, 'latin1')));

    assert.notDeepEqual(holding(/sent by a tool/), []);
    // The compiled code of the library has these words too.
    const secret = holding(/noiseKey|privKey|signedIdentityKey|SessionEntry/);
    assert.deepEqual(
      secret.filter((path) => !path.includes('compiled')),
      [],
    );
  });

  test('`chat logout` removes the device from the account', async () => {
    const { code, stderr } = await runProgram(['chat', 'logout', 'work'], { home });

    assert.equal(code, 0, stderr);
    assert.equal(network.world.server.isLinked(), false);
    assert.equal((await sourcesOf(home)).work?.is_connected, false);
  });
});
