import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredMessage } from '../../../../src/chat/ports.ts';
import type { Ability, Peer, Where } from '../contract.ts';
import { numbered } from './stage.ts';

/** What other people's programs and keyboards make of a text. */
export const TEXTS: Record<string, string> = {
  'letters of many scripts': 'Grüße, Привет, γειά, שלום, مرحبا, 你好世界, こんにちは, 안녕, नमस्ते',
  'emoji, also those of several parts': '👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇫🇮 1️⃣',
  'marks that combine, and letters that look the same': 'e\u0301 é z\u0335\u0321 \u2126 Ω',
  'text that runs from right to left, with its marks': '\u202bשלום hello\u202c \u200fأ 123',
  'what looks like markup': `<b>&amp;"quoted"</b> <!-- ]]> --> \${x} {{y}} %s %00`,
  'what looks like a command': "PRIVMSG #x :y; /quit '; DROP TABLE messages; --",
};
const BURST = 200;

/** A source that hears of what people say, however it does, and what is stored of it. */
export interface Arrivals {
  peer: Pick<Peer, 'sender' | 'say'>;
  chats: Record<Where, string>;
  longestText?: number;
  /** The message with this text, once it is there. */
  arrived(chat: string, text: string): Promise<StoredMessage>;
  texts(chat: string): Promise<string[]>;
}

/** What must become of what others say, also where nothing is ever sent. */
export function arrivingBehaviours(place: () => Arrivals, has: (ability: Ability) => boolean): void {
  for (const where of ['group', 'direct'] as const) {
    test(`what somebody says (${where}) is stored once, with its sender, its chat and its time`, async () => {
      const { peer, chats } = place();
      const from = Date.now();

      const id = await peer.say(where, `news for ${where}`);

      const message = await place().arrived(chats[where], `news for ${where}`);
      assert.equal(message.externalId, id);
      assert.deepEqual({ ...message.sender }, peer.sender[where]);
      assert.equal(message.isOwn, false);
      assert.equal(message.contentType, 'text');
      // Some networks know whole seconds only.
      assert.ok(message.at >= from - 2_000 && message.at <= Date.now() + 2_000, 'its time is now');
      assert.equal(await times(chats[where], `news for ${where}`), 1);
    });
  }

  test('a direct chat is known as one', async () => {
    const { peer, chats } = place();

    await peer.say('direct', 'between us');

    const { chat } = await place().arrived(chats.direct, 'between us');
    assert.equal(chat.type, 'direct');
  });

  test('the same said twice is two messages', async () => {
    const { peer, chats } = place();

    await peer.say('group', 'twice');
    await peer.say('group', 'twice');

    await sureOf('group');
    assert.equal(await times(chats.group, 'twice'), 2);
  });

  if (has('replies')) {
    test('an answer knows which message it answers', async () => {
      const { peer, chats } = place();
      const id = await peer.say('group', 'what was asked');
      const question = await place().arrived(chats.group, 'what was asked');

      await peer.say('group', 'what was answered', { replyTo: id });

      const answer = await place().arrived(chats.group, 'what was answered');
      assert.equal(answer.replyTo, question.id);
    });
  }

  for (const [what, text] of Object.entries(TEXTS)) {
    test(`${what}: stored as they were written`, async () => {
      const { peer, chats } = place();

      await peer.say('group', `they: ${text}`);

      await place().arrived(chats.group, `they: ${text}`);
    });
  }

  test('a text as long as the network takes arrives whole', async () => {
    const { peer, chats, longestText = 20_000 } = place();
    const text = 'long '.repeat(longestText / 5).trim();

    await peer.say('group', text);

    await place().arrived(chats.group, text);
  });

  test(`${BURST} messages of one moment keep their order, and none is lost`, async () => {
    const { peer, chats } = place();
    const wanted = numbered('burst', BURST);

    await Promise.all(wanted.map((text) => peer.say('group', text)));

    await sureOf('group');
    const found = (await place().texts(chats.group)).filter((text) => text.startsWith('burst '));
    assert.deepEqual(found, wanted);
  });

  test('what is said in two chats at once stays apart', async () => {
    const { peer, chats } = place();

    await Promise.all(
      numbered('apart', 20).flatMap((text) => [
        peer.say('group', `${text} group`),
        peer.say('direct', `${text} direct`),
      ]),
    );

    await sureOf('group');
    await sureOf('direct');
    for (const where of ['group', 'direct'] as const) {
      const found = (await place().texts(chats[where])).filter((text) => text.startsWith('apart '));
      assert.deepEqual(
        found,
        numbered('apart', 20).map((text) => `${text} ${where}`),
      );
    }
  });

  async function times(chat: string, text: string): Promise<number> {
    return (await place().texts(chat)).filter((found) => found === text).length;
  }

  let marks = 0;
  /** Whatever was to come of what was said before has come when this has: networks keep the order of a chat. */
  async function sureOf(where: Where): Promise<void> {
    const text = `all of it ${++marks}`;
    await place().peer.say(where, text);
    await place().arrived(place().chats[where], text);
  }
}
