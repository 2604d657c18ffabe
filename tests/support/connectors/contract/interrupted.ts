import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { StoredMessage } from '../../../../src/chat/ports.ts';
import { until } from '../../mcp/shim-program.ts';
import type { ConnectedSource } from '../connected-source.ts';
import type { Ability, Peer, Where, World } from '../contract.ts';
import { needed, numbered, stageFor } from './stage.ts';

const CUTS = 3;
/** More than networks return at once. */
const CROWD = 280;

interface Change {
  what: 'edits' | 'deletions' | 'reactions';
  act(peer: Peer, where: Where, id: string): Promise<void>;
  isSo(message: StoredMessage): boolean;
}

/** Changes of a message while the source is disconnected. */
const CHANGES: readonly Change[] = [
  {
    what: 'edits',
    act: (peer, where, id) => needed(peer.edit)(where, id, 'edited meanwhile'),
    isSo: ({ text, editedAt }) => text === 'edited meanwhile' && editedAt !== undefined,
  },
  {
    what: 'deletions',
    act: (peer, where, id) => needed(peer.delete)(where, id),
    isSo: ({ deletedAt }) => deletedAt !== undefined,
  },
  {
    what: 'reactions',
    act: (peer, where, id) => needed(peer.react)(where, id, '🎉'),
    isSo: ({ reactions }) => reactions?.[0]?.sign === '🎉',
  },
];

export function interruptedBehaviours(start: () => Promise<World>, has: (ability: Ability) => boolean): void {
  describe('when the connection breaks', () => {
    const stage = stageFor(start);
    let connection: ConnectedSource;
    beforeEach(async () => {
      await connection?.stop();
      connection = await stage.connect();
      await known('here');
    });

    test('it reconnects by itself, and missed messages are stored once and in order', async () => {
      const { world } = stage;

      await world.down();
      await connection.isState('waiting');
      for (const text of numbered('missed', 5)) await world.peer.say('group', text);
      await world.up();

      await known('back');
      assert.deepEqual(await texts('missed'), numbered('missed', 5));
    });

    test('CHAT-05 while the server is unreachable the source is reported as disconnected, and it retries', async () => {
      const { world } = stage;

      await world.down();
      await connection.isState('waiting');
      const { isConnected, problem } = await connection.view();
      const tried = connection.opened();
      await until('it is tried again', () => connection.opened() > tried + 1);
      await world.up();

      await connection.isState('connected');
      assert.equal(isConnected, false);
      assert.notEqual(problem, undefined);
    });

    if (has('acknowledgements')) {
      test('nothing is lost or duplicated when it breaks while messages arrive', async () => {
        const { world } = stage;
        const wanted = numbered('talk', 30 * CUTS);

        for (let part = 0; part < CUTS; part++) {
          const said = wanted.slice(part * 30, part * 30 + 30).map((text) => world.peer.say('group', text));
          await world.cut();
          await Promise.all(said);
        }

        await known('after the talk');
        await until('all is there', async () => (await texts('talk')).length >= wanted.length);
        assert.deepEqual(await texts('talk'), wanted);
      });
    }

    test('messages sent while it was stopped are stored when it runs again', async () => {
      const { world } = stage;
      await connection.stop();

      for (const text of numbered('stopped', 5)) await world.peer.say('group', text);
      connection = await stage.connect();

      await known('running again');
      assert.deepEqual(await texts('stopped'), numbered('stopped', 5));
    });

    if (has('missed direct messages')) {
      test('missed direct messages are fetched, too', async () => {
        const { world } = stage;
        await world.peer.say('direct', 'before');
        await connection.arrived(world.chats.direct, 'before');
        await connection.stop();

        await world.peer.say('direct', 'did you sleep?');
        connection = await stage.connect();

        await connection.arrived(world.chats.direct, 'did you sleep?');
      });
    }

    for (const { what, act, isSo } of CHANGES.filter(({ what }) => has(what) && has(`missed ${what}`))) {
      test(`missed ${what} are applied`, async () => {
        const { peer, chats } = stage.world;
        const id = await peer.say('group', `later: ${what}`);
        await connection.arrived(chats.group, `later: ${what}`);
        await connection.stop();

        await act(peer, 'group', id);
        connection = await stage.connect();

        await connection.becomes(chats.group, id, what, isSo);
      });
    }

    const missed = CHANGES.filter(({ what }) => has(what) && has(`missed ${what}`));
    if (missed.length > 0) {
      test('missed changes among more than a page of other messages are applied, and are no messages', async () => {
        const { peer, chats } = stage.world;
        const ids: string[] = [];
        for (const { what } of missed) ids.push(await peer.say('group', `among many: ${what}`));
        await connection.arrived(chats.group, `among many: ${missed.at(-1)?.what}`);
        await connection.stop();

        await Promise.all(numbered('crowd', CROWD).map((text) => peer.say('group', text)));
        for (const [index, { act }] of missed.entries()) await act(peer, 'group', ids[index] ?? '');
        await Promise.all(numbered('crowd after', CROWD / 4).map((text) => peer.say('group', text)));
        connection = await stage.connect();

        for (const [index, { what, isSo }] of missed.entries()) {
          await connection.becomes(chats.group, ids[index] ?? '', what, isSo);
        }
        await connection.arrived(chats.group, `crowd after ${CROWD / 4 - 1}`);
        // Arrived does not mean that the history before it was asked for yet.
        await until('the history is stored', async () => (await texts('crowd')).length >= CROWD + CROWD / 4);
        await connection.historySettled();
        const stored = await connection.texts(chats.group);
        assert.equal(stored.filter((text) => text.startsWith('crowd ')).length, CROWD + CROWD / 4);
        assert.equal(
          stored.filter((text) => text === 'edited meanwhile').length,
          has('edits') && has('missed edits') ? 2 : 0,
        );
      });
    }

    test('a message sent while the server is unreachable fails, and is never reported as sent', async () => {
      const { world } = stage;

      await world.down();
      const sending = connection.send({ chat: world.chats.group, text: 'into the void' });

      await assert.rejects(sending);
      await world.up();
      await known('out of the void');
      assert.deepEqual(await texts('into'), []);
    });

    test('it signs off when it is stopped, and leaves no connection open', async () => {
      const before = sockets();
      const other = await stage.connect();
      await other.isState('connected');

      await other.stop();

      assert.equal((await other.view()).state, 'stopped');
      await until('its connection is closed', () => sockets() <= before);
    });

    let marks = 0;
    /** Connected, and caught up: later messages are stored after all missed ones. */
    async function known(what: string): Promise<void> {
      const { world } = stage;
      await connection.isState('connected');
      const text = `mark ${++marks} ${what}`;
      await world.peer.say('group', text);
      await connection.arrived(world.chats.group, text);
      await connection.historySettled();
    }

    async function texts(name: string): Promise<string[]> {
      return (await connection.texts(stage.world.chats.group)).filter((text) => text.startsWith(`${name} `));
    }
  });
}

function sockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TCPSocket|TLS/.test(kind)).length;
}
