import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';
import { until } from '../../mcp/shim-program.ts';
import type { ConnectedSource } from '../connected-source.ts';
import type { Ability, World } from '../contract.ts';
import { notSent } from '../outcomes.ts';
import { arrivingBehaviours, TEXTS } from './arriving.ts';
import { needed, stageFor } from './stage.ts';

export function liveBehaviours(start: () => Promise<World>, has: (ability: Ability) => boolean): void {
  describe('while it is connected', () => {
    const stage = stageFor(start);
    let connection: ConnectedSource;
    before(async () => {
      connection = await stage.connect();
      await connection.isState('connected');
      const { world } = stage;
      await world.peer.say('group', 'hello, group');
      await connection.arrived(world.chats.group, 'hello, group');
    });

    arrivingBehaviours(() => ({ ...stage.world, ...connection }), has);

    test('CHAT-05 its state is connected', async () => {
      const { isConnected, problem } = await connection.view();

      assert.deepEqual([isConnected, problem], [true, undefined]);
    });

    test('CHAT-06 the group has a name and is not a direct chat', async () => {
      const [chat] = await stage.store.chats.resolve(undefined, stage.world.chats.group);

      assert.notEqual(chat?.type, 'direct');
      assert.notEqual(chat?.name ?? '', '');
    });

    for (const where of ['group', 'direct'] as const) {
      test(`our message (${where}) reaches the peer and is stored once, as our own`, async () => {
        const { peer, chats } = stage.world;

        const sent = await connection.send({ chat: chats[where], text: `ours for ${where}` });

        const id = await peer.heard(where, `ours for ${where}`);
        const message = await connection.arrived(chats[where], `ours for ${where}`);
        assert.equal(message.isOwn, true);
        assert.equal(message.externalId, id);
        if (sent.id !== undefined) assert.equal(sent.id, id);
        await sureOf(where);
        assert.equal(await times(chats[where], `ours for ${where}`), 1);
      });
    }

    test('the same text sent twice is two messages', async () => {
      const { chats } = stage.world;

      await Promise.all([1, 2].map(() => connection.send({ chat: chats.group, text: 'ours, twice' })));

      await until('both are stored', async () => (await times(chats.group, 'ours, twice')) >= 2);
      await sureOf('group');
      assert.equal(await times(chats.group, 'ours, twice'), 2);
    });

    if (has('replies')) {
      test('our reply refers to the message it replies to', async () => {
        const { peer, chats } = stage.world;
        const id = await peer.say('group', 'a question');
        const question = await connection.arrived(chats.group, 'a question');

        const sent = await connection.send({ chat: chats.group, text: 'our answer', replyTo: id });

        assert.equal((await connection.arrived(chats.group, 'our answer')).replyTo, question.id);
        assert.notEqual(sent.id, id);
      });
    }

    if (has('edits')) {
      test('an edit replaces the text, and has a timestamp', async () => {
        const { peer, chats } = stage.world;
        const id = await peer.say('group', 'a tpyo');
        await connection.arrived(chats.group, 'a tpyo');

        await needed(peer.edit)('group', id, 'a typo');

        await connection.becomes(chats.group, id, 'the text is the new one', ({ text }) => text === 'a typo');
        const message = await connection.arrived(chats.group, 'a typo');
        assert.notEqual(message.editedAt, undefined);
        assert.equal(await times(chats.group, 'a tpyo'), 0);
      });
    }

    if (has('deletions')) {
      test('a deleted message loses its text', async () => {
        const { peer, chats } = stage.world;
        const id = await peer.say('group', 'a mistake');
        await connection.arrived(chats.group, 'a mistake');

        await needed(peer.delete)('group', id);

        await connection.becomes(chats.group, id, 'it is deleted', ({ deletedAt }) => deletedAt !== undefined);
        assert.equal(await times(chats.group, 'a mistake'), 0);
      });
    }

    if (has('reactions')) {
      test('a reaction is stored with its message, until it is removed', async () => {
        const { peer, chats } = stage.world;
        const id = await peer.say('group', 'good news');
        await connection.arrived(chats.group, 'good news');

        await needed(peer.react)('group', id, '👍');

        await connection.becomes(
          chats.group,
          id,
          'it has the reaction',
          ({ reactions }) => reactions?.[0]?.sign === '👍',
        );
        if (!peer.unreact) return;
        await peer.unreact('group', id, '👍');
        await connection.becomes(chats.group, id, 'it has none', ({ reactions = [] }) => reactions.length === 0);
      });
    }

    for (const [what, text] of Object.entries(TEXTS)) {
      test(`${what}: sent unchanged`, async () => {
        const { peer, chats } = stage.world;

        await connection.send({ chat: chats.group, text: `we: ${text}` });

        await peer.heard('group', `we: ${text}`);
      });
    }

    if (has('unknown content')) {
      test('content of an unsupported kind is stored, and the connection continues', async () => {
        const { peer, chats } = stage.world;
        await sureOf('group');
        const before = (await connection.stored(chats.group)).length;

        await needed(peer.sayUnknown)('group');

        await sureOf('group');
        assert.equal((await connection.stored(chats.group)).length, before + 2);
        assert.equal(connection.opened(), 1);
      });
    }

    if (has('downloads')) {
      test('an attachment can be downloaded, within a limit', async () => {
        const { chats, peer } = stage.world;
        const content = Buffer.from('line 1\nline 2\n'.repeat(10_000));
        const id = await needed(peer.attach)('group', 'report.txt', content);
        await connection.becomes(chats.group, id, 'the file is there', ({ attachments }) => attachments?.length === 1);
        const stored = (await connection.stored(chats.group)).find(({ externalId }) => externalId === id);
        const [attachment] = stored?.attachments ?? [];
        assert.ok(attachment);
        const download = (maxBytes: number) =>
          connection.current()?.download?.(attachment, { maxBytes, signal: AbortSignal.timeout(60_000) });

        const whole = await download(content.length);
        const cut = await download(content.length - 1);

        assert.ok(whole?.kind === 'content');
        assert.deepEqual(await buffer(whole.content), content);
        assert.equal(cut?.kind, 'too-large');
        const gone = await connection
          .current()
          ?.download?.({ type: 'file' }, { maxBytes: 1, signal: AbortSignal.timeout(60_000) });
        assert.equal(gone?.kind, 'unavailable');
      });
    }

    if (has('unknown chats')) {
      test('sending to a chat that does not exist fails with a clear error, and the connection continues', async () => {
        const { unknownChat, chats } = stage.world;

        notSent(await connection.attempt({ chat: needed(unknownChat), text: 'is anybody there?' }));

        await connection.send({ chat: chats.group, text: 'still here' });
        await connection.arrived(chats.group, 'still here');
        assert.equal(connection.opened(), 1);
      });
    }

    async function times(chat: string, text: string): Promise<number> {
      return (await connection.texts(chat)).filter((found) => found === text).length;
    }

    let marks = 0;
    /** When this message is stored, so is everything sent before: networks keep the order of a chat. */
    async function sureOf(where: 'group' | 'direct'): Promise<void> {
      const text = `that is all ${++marks}`;
      await stage.world.peer.say(where, text);
      await connection.arrived(stage.world.chats[where], text);
    }
  });
}
