import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ChatClient, DAEMON_DOORS } from '../support/chat/doors.ts';
import { connected, type LiveHome, sourcesOf, startLiveHome } from '../support/chat/live-home.ts';
import { eventIn } from '../support/mcp/rpc-message.ts';
import { until } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const UPDATED = 'notifications/resources/updated';

for (const [door, open] of Object.entries(DAEMON_DOORS)) {
  describe(`live networks ${door}`, { timeout: 300_000 }, () => {
    let world: LiveHome;
    let client: ChatClient;

    before(async () => {
      world = await startLiveHome(join(folder, door.replaceAll(/\W+/g, '-')));
      client = await open(world.home);
      await connected(world.home, 'libera', 'work');
      // A chat exists only once it has a message.
      await world.irc.peer.say('group', 'the first word');
      await world.matrix.peer.say('group', 'the first word');
      await until('both messages are stored', async () => (await messages({ search: 'first word' })).length === 2);
    });
    afterEach(() => client.forgetAll());
    after(async () => {
      await client?.stop();
      await world?.stop();
    });

    async function call(name: string, args: object = {}) {
      const { result, error } = await client.ask('tools/call', { name, arguments: args });
      assert.ok(result, JSON.stringify(error));
      return result as { isError?: boolean; structuredContent: JsonObject };
    }

    async function messages(args: object): Promise<JsonObject[]> {
      return (await call('get_messages', args)).structuredContent.messages as JsonObject[];
    }

    test('CHAT-04 CHAT-05 each source is listed, and is connected only if its network is reachable', async () => {
      await until('the connection has failed', async () => (await sourcesOf(world.home)).nowhere?.state === 'waiting');

      const { structuredContent } = await call('list_sources');

      const sources = structuredContent.sources as JsonObject[];
      assert.deepEqual(
        sources.map(({ id, name, is_connected }) => [id, name, is_connected]),
        [
          ['libera', 'Libera', true],
          ['nowhere', 'Nowhere', false],
          ['old', 'Old', true],
          ['telegram', 'Telegram', false],
          ['work', 'Work', true],
        ],
      );
      const problems = Object.fromEntries(sources.map(({ id, problem }) => [id, problem]));
      assert.equal(problems.nowhere, 'The server cannot be reached: it refuses connections to this port.');
      assert.equal(problems.telegram, 'The account is not signed in: `switchboard chat login telegram`.');
      assert.equal(problems.libera, undefined);
    });

    test('CHAT-22 a source that was never connected is refused, with a hint how to connect it', async () => {
      const errors: JsonObject[] = [];
      for (const [name, source] of [
        ['get_messages', 'nowhere'],
        ['list_chats', 'nowhere'],
        ['get_messages', 'telegram'],
      ] as const) {
        const { isError, structuredContent } = await call(name, { source });
        assert.equal(isError, true);
        errors.push(structuredContent.error as JsonObject);
      }

      for (const { code } of errors) assert.equal(code, 'SOURCE_NOT_CONNECTED');
      assert.match(
        String(errors[0]?.message),
        /^Source 'nowhere' is not connected\. .*sources\.nowhere in config\.yaml/,
      );
      assert.match(
        String(errors[2]?.message),
        /^Source 'telegram' is not connected\. .*switchboard chat login telegram/,
      );
    });

    test('CHAT-30 messages of every network reach a subscriber of the whole source', async () => {
      const { messages: heard } = await client.subscribe('messages://libera/*', 'messages://work/*');

      await world.irc.peer.say('group', 'said on IRC');
      const first = await heard.notified(UPDATED);
      await world.matrix.peer.say('group', 'said on Matrix');
      const second = await heard.notified(UPDATED);

      assert.partialDeepStrictEqual(eventIn(first), {
        type: 'message.received',
        source: 'libera',
        chat: '#Team',
        chat_id: '#team',
        sender: 'bob',
        content: 'said on IRC',
      });
      assert.partialDeepStrictEqual(eventIn(second), {
        source: 'work',
        chat: 'Team',
        chat_id: world.matrix.chats.group,
        sender: 'Bob',
        content: 'said on Matrix',
      });
    });

    test('CHAT-31 a subscriber of one chat is notified only of that chat', async () => {
      const { messages: heard } = await client.subscribe(`messages://libera/${encodeURIComponent('#team')}`);

      await world.irc.peer.say('direct', 'said in private');
      await until('the message is stored', async () => (await messages({ search: 'said in private' })).length > 0);
      await world.irc.peer.say('group', 'said to all');

      assert.equal(eventIn(await heard.notified(UPDATED)).content, 'said to all');
    });

    test('CHAT-32 a source that nothing new arrives in cannot be subscribed to', async () => {
      const { refused } = await client.subscribe('messages://old/*');

      assert.equal(refused?.data?.code, 'STREAMING_NOT_SUPPORTED');
      assert.match(refused?.message ?? '', /does not support streaming/);
    });

    test('a sent message arrives on the network, and is stored once', async () => {
      const sent = [
        await call('send_message', { source: 'libera', chat: '#team', text: 'an answer on IRC' }),
        await call('send_message', { source: 'work', chat: 'Team', text: 'an answer on Matrix' }),
      ];

      await world.irc.peer.heard('group', 'an answer on IRC');
      await world.matrix.peer.heard('group', 'an answer on Matrix');
      for (const { structuredContent } of sent) assert.equal(structuredContent.status, 'sent');
      await until('both messages are stored', async () => (await messages({ search: 'an answer on' })).length >= 2);
      const stored = await messages({ search: 'an answer on' });
      assert.deepEqual(stored.map(({ source }) => source).sort(), ['libera', 'work']);
    });

    test('while a network is down its history is readable and marked stale; missed messages arrive after reconnecting', async () => {
      await world.irc.down();
      await until('the source is disconnected', async () => !(await sourcesOf(world.home)).libera?.is_connected);
      const { structuredContent: stale } = await call('get_messages', { source: 'libera', search: 'first word' });
      await world.irc.peer.say('group', 'said while we were away');
      await world.irc.up();
      await connected(world.home, 'libera');
      await until('the message is stored', async () => (await messages({ search: 'while we were away' })).length > 0);

      assert.partialDeepStrictEqual(stale, { messages: [{ content: 'the first word' }], is_connected: false });
      assert.match(String(stale.stale_since), /^20\d\d-.*Z$/);
      assert.equal((await messages({ source: 'libera', search: 'while we were away' })).length, 1);
    });
  });
}
