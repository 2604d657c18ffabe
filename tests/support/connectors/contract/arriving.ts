import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredMessage } from '../../../../src/chat/ports.ts';
import type { Ability, Peer, Where } from '../contract.ts';
import { numbered } from './stage.ts';

/** Texts that are difficult to transport. */
export const TEXTS: Record<string, string> = {
  'letters of many scripts': 'Grüße, Привет, γειά, שלום, مرحبا, 你好世界, こんにちは, 안녕, नमस्ते',
  'emoji, including sequences': '👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇫🇮 1️⃣',
  'combining marks and look-alike letters': 'e\u0301 é z\u0335\u0321 \u2126 Ω',
  'right-to-left text with direction marks': '\u202bשלום hello\u202c \u200fأ 123',
  'text that resembles markup': `<b>&amp;"quoted"</b> <!-- ]]> --> \${x} {{y}} %s %00`,
  'text that resembles a command': "PRIVMSG #x :y; /quit '; DROP TABLE messages; --",
};
const BURST = 200;

/** A source that receives messages, by whatever means, and its stored messages. */
export interface Arrivals {
  peer: Pick<Peer, 'sender' | 'say'>;
  chats: Record<Where, string>;
  longestText?: number;
  /** The message with this text, once it is stored. */
  arrived(chat: string, text: string): Promise<StoredMessage>;
  texts(chat: string): Promise<string[]>;
}

/** The behaviours of received messages, also of networks that cannot send. */
export function arrivingBehaviours(place: () => Arrivals, has: (ability: Ability) => boolean): void {
  for (const where of ['group', 'direct'] as const) {
    test(`a message of another user (${where}) is stored once, with its sender, chat and timestamp`, async () => {
      const { peer, chats } = place();
      const from = Date.now();

      const id = await peer.say(where, `news for ${where}`);

      const message = await place().arrived(chats[where], `news for ${where}`);
      assert.equal(message.externalId, id);
      assert.deepEqual({ ...message.sender }, peer.sender[where]);
      assert.equal(message.isOwn, false);
      assert.equal(message.contentType, 'text');
      // Some networks have timestamps in whole seconds.
      assert.ok(message.at >= from - 2_000 && message.at <= Date.now() + 2_000, 'the timestamp is not recent');
      assert.equal(await times(chats[where], `news for ${where}`), 1);
    });
  }

  test('a direct chat has the type direct', async () => {
    const { peer, chats } = place();

    await peer.say('direct', 'between us');

    const { chat } = await place().arrived(chats.direct, 'between us');
    assert.equal(chat.type, 'direct');
  });

  test('the same text received twice is two messages', async () => {
    const { peer, chats } = place();

    await peer.say('group', 'twice');
    await peer.say('group', 'twice');

    await sureOf('group');
    assert.equal(await times(chats.group, 'twice'), 2);
  });

  if (has('replies')) {
    test('a reply refers to the message it replies to', async () => {
      const { peer, chats } = place();
      const id = await peer.say('group', 'what was asked');
      const question = await place().arrived(chats.group, 'what was asked');

      await peer.say('group', 'what was answered', { replyTo: id });

      const answer = await place().arrived(chats.group, 'what was answered');
      assert.equal(answer.replyTo, question.id);
    });
  }

  for (const [what, text] of Object.entries(TEXTS)) {
    test(`${what}: stored unchanged`, async () => {
      const { peer, chats } = place();

      await peer.say('group', `they: ${text}`);

      await place().arrived(chats.group, `they: ${text}`);
    });
  }

  test('a text of the maximum length of the network arrives complete', async () => {
    const { peer, chats, longestText = 20_000 } = place();
    const text = 'long '.repeat(longestText / 5).trim();

    await peer.say('group', text);

    await place().arrived(chats.group, text);
  });

  test(`${BURST} messages sent at the same time keep their order, and none is lost`, async () => {
    const { peer, chats } = place();
    const wanted = numbered('burst', BURST);

    await Promise.all(wanted.map((text) => peer.say('group', text)));

    await sureOf('group');
    const found = (await place().texts(chats.group)).filter((text) => text.startsWith('burst '));
    assert.deepEqual(found, wanted);
  });

  test('messages sent to two chats at the same time are stored in the right chat', async () => {
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
  /** When this message is stored, so is everything sent before: networks keep the order of a chat. */
  async function sureOf(where: Where): Promise<void> {
    const text = `all of it ${++marks}`;
    await place().peer.say(where, text);
    await place().arrived(place().chats[where], text);
  }
}
