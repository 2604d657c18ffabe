import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { CHAT_DOORS, type ChatClient, type Hearing } from '../support/chat/doors.ts';
import { post, prepareChatHome } from '../support/chat/prepared-home.ts';
import { eventIn } from '../support/mcp/rpc-message.ts';
import { daemonStatus, removeHome, startShim } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const UPDATED = 'notifications/resources/updated';

for (const [door, open] of Object.entries(CHAT_DOORS)) {
  describe(`live messages ${door}`, { timeout: 300_000 }, () => {
    const home = join(folder, door.replaceAll(/\W+/g, '-'));
    let client: ChatClient;
    let count = 0;

    before(async () => {
      client = await open(await prepareChatHome(home));
    });
    afterEach(() => client.forgetAll());
    after(() => client?.stop());

    /** Posts a text that is unique, so that each test recognizes its own. */
    const say = async (chat: string, sender = 'Bob') => {
      const text = `news ${++count}`;
      await post(home, { chat, sender, text });
      return text;
    };
    const news = async ({ messages }: Hearing) => eventIn(await messages.notified(UPDATED));

    test('CHAT-30 a subscription to all chats of a source is notified of each message, with its source and chat', async () => {
      const hearing = await client.subscribe('messages://telegram/*');

      const first = await say('Antti');
      const told = await hearing.messages.notified(UPDATED);
      const second = await say('Family', 'Mum');

      assert.partialDeepStrictEqual(told.params?._meta, {
        'switchboard/uri': 'messages://telegram/Antti',
        'switchboard/event': {
          type: 'message.received',
          source: 'telegram',
          chat: 'Antti',
          chat_id: 'Antti',
          sender: 'Bob',
          content: first,
        },
      });
      assert.partialDeepStrictEqual(await news(hearing), { chat: 'Family', sender: 'Mum', content: second });
    });

    test('CHAT-31 a subscription to one chat, by its name, is notified only of that chat', async () => {
      const uris = ['messages://telegram/famil', `messages://*/${encodeURIComponent('Café ☕')}`];
      const hearing = await client.subscribe(...uris);

      await say('Antti');
      const first = await say('Family');
      await say('Friends');
      const second = await say('Family');

      assert.deepEqual([(await news(hearing)).content, (await news(hearing)).content], [first, second]);
    });

    test('CHAT-31 a subscription is filtered by sender and chat', async () => {
      const uri = 'messages://*/*?sender=MUM&chat=family';
      const hearing = await client.subscribe(uri);

      await say('Family', 'Noor');
      await say('Antti', 'Mum');
      const wanted = await say('Family', 'Mum');

      assert.equal((await news(hearing)).content, wanted);
    });

    test('CHAT-32 a subscription to a source that cannot stream, or to an unknown source or chat, is rejected', async () => {
      const refusals = [];
      for (const uri of [
        'messages://whatsapp/*',
        'messages://matrix/*',
        'messages://telegram/Nobody',
        'messages://telegram/Twins',
        'messages://telegram/*?colour=red',
        'messages://telegram/*?after=x',
      ]) {
        refusals.push((await client.subscribe(uri)).refused);
      }

      assert.deepEqual(
        refusals.map((refused) => refused?.data?.code),
        [
          'STREAMING_NOT_SUPPORTED',
          'SOURCE_NOT_FOUND',
          'CHAT_NOT_FOUND',
          'CHAT_AMBIGUOUS',
          'INVALID_PARAMETER',
          'VALIDATION_ERROR',
        ],
      );
      assert.match(refusals[0]?.message ?? '', /does not support streaming/);
    });

    test('a subscription resumes after the last received event, without gap or repetition', async () => {
      const first = await client.subscribe('messages://telegram/Antti');
      await say('Antti');
      const seen = (await news(first)).number;
      await client.forgetAll();
      const missed = [await say('Antti'), await say('Family'), await say('Antti')];

      const resumed = await client.subscribe(`messages://telegram/Antti?after=${seen}`);
      const told = [await news(resumed), await news(resumed)];
      const live = await say('Antti');
      told.push(await news(resumed));

      assert.deepEqual(
        told.map(({ content }) => content),
        [missed[0], missed[2], live],
      );
    });

    test('a subscription from the cursor of a read misses nothing', async () => {
      const { result } = await client.ask('resources/read', { uri: 'messages://telegram/Work' });
      const [content] = (result?.contents ?? []) as { _meta: JsonObject }[];

      const between = await say('Work');
      const hearing = await client.subscribe(`messages://telegram/Work?after=${content?._meta['switchboard/after']}`);

      assert.equal((await news(hearing)).content, between);
    });

    test('a subscription cannot resume after an event number that does not exist yet', async () => {
      const { refused } = await client.subscribe('messages://telegram/*?after=999999999');

      assert.equal(refused?.data?.code, 'NOT_FOUND');
    });
  });
}

test('a session that a new daemon takes over is notified of messages from the time between, once', {
  timeout: 300_000,
}, async (context) => {
  const home = await prepareChatHome(join(folder, 'restart'));
  const shim = startShim({ home }, ['--only', 'chat']);
  context.after(async () => {
    await shim.stop();
    await removeHome(home);
  });
  const say = (text: string) => post(home, { chat: 'Family', sender: 'Mum', text });
  const told = (text: string) => shim.messages.take((message) => eventIn(message).content === text);
  await shim.initialize();
  await shim.call('resources/subscribe', { uri: 'messages://telegram/family' });
  await say('before the fall');
  await told('before the fall');

  for (const fall of ['first', 'second']) {
    const { pid } = await daemonStatus(home);
    process.kill(pid, 'SIGKILL');
    await say(`after the ${fall} fall`);
    await told(`after the ${fall} fall`);
  }
  await say('at last');
  const last = await told('at last');

  const heard = shim.messages.all.filter(({ method }) => method === UPDATED).map((message) => eventIn(message).content);
  assert.deepEqual(heard, ['before the fall', 'after the first fall', 'after the second fall', 'at last']);
  assert.equal(last.params?.uri, 'messages://telegram/Family');
});
