import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { World } from '../connector-contract.ts';
import { until } from '../shim-program.ts';
import type { Station } from '../station.ts';
import { numbered, stageFor } from './stage.ts';

const CUTS = 3;

export function interruptedBehaviours(start: () => Promise<World>): void {
  describe('when the connection breaks', () => {
    const stage = stageFor(start);
    let station: Station;
    beforeEach(async () => {
      await station?.stop();
      station = await stage.connect();
      await known('here');
    });

    test('it comes back by itself, and what was said meanwhile is there, once and in order', async () => {
      const { world } = stage;

      await world.down();
      await station.isState('waiting');
      for (const text of numbered('missed', 5)) await world.peer.say('group', text);
      await world.up();

      await known('back');
      assert.deepEqual(await texts('missed'), numbered('missed', 5));
    });

    test('CHAT-05 while the server cannot be reached it is not connected and says so, and tries again', async () => {
      const { world } = stage;

      await world.down();
      await station.isState('waiting');
      const { isConnected, problem } = await station.view();
      const tried = station.opened();
      await until('it is tried again', () => station.opened() > tried + 1);
      await world.up();

      await station.isState('connected');
      assert.equal(isConnected, false);
      assert.notEqual(problem, undefined);
    });

    test('nothing is lost or doubled when it breaks while people talk', async () => {
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

    test('what was said while it was stopped is there when it runs again', async () => {
      const { world } = stage;
      await station.stop();

      for (const text of numbered('stopped', 5)) await world.peer.say('group', text);
      station = await stage.connect();

      await known('running again');
      assert.deepEqual(await texts('stopped'), numbered('stopped', 5));
    });

    test('direct messages that were missed come too', async () => {
      const { world } = stage;
      await world.peer.say('direct', 'before');
      await station.arrived(world.chats.direct, 'before');
      await station.stop();

      await world.peer.say('direct', 'did you sleep?').catch((error: unknown) => {
        if (!world.directNeedsPresence) throw error;
      });
      station = await stage.connect();

      await station.isState('connected');
      if (!world.directNeedsPresence) await station.arrived(world.chats.direct, 'did you sleep?');
    });

    test('changes that were missed are learnt', async (context) => {
      const { peer, chats, forgetsWhileAway = [] } = stage.world;
      const can = (what: 'edit' | 'delete' | 'react') => peer[what] && !forgetsWhileAway.includes(what);
      if (!can('edit') && !can('delete') && !can('react'))
        return context.skip('this network does not tell of them later');
      const ids = { edit: '', delete: '', react: '' };
      for (const what of ['edit', 'delete', 'react'] as const) {
        ids[what] = await peer.say('group', `to ${what} later`);
        await station.arrived(chats.group, `to ${what} later`);
      }
      await station.stop();

      if (can('edit')) await peer.edit?.('group', ids.edit, 'edited meanwhile');
      if (can('delete')) await peer.delete?.('group', ids.delete);
      if (can('react')) await peer.react?.('group', ids.react, '🎉');
      station = await stage.connect();

      if (can('edit')) await station.becomes(chats.group, ids.edit, 'edited', ({ editedAt }) => editedAt !== undefined);
      if (can('delete')) {
        await station.becomes(chats.group, ids.delete, 'deleted', ({ deletedAt }) => deletedAt !== undefined);
      }
      if (can('react')) {
        await station.becomes(chats.group, ids.react, 'reacted', ({ reactions }) => reactions?.[0]?.sign === '🎉');
      }
    });

    test('what is sent while the server cannot be reached fails, and is never taken for sent', async () => {
      const { world } = stage;

      await world.down();
      const sending = station.send({ chat: world.chats.group, text: 'into the void' });

      await assert.rejects(sending);
      await world.up();
      await known('out of the void');
      assert.deepEqual(await texts('into'), []);
    });

    test('it signs off when it is stopped, and leaves no connection behind', async () => {
      const before = sockets();
      const other = await stage.connect();
      await other.isState('connected');

      await other.stop();

      assert.equal((await other.view()).state, 'stopped');
      await until('its connection is closed', () => sockets() <= before);
    });

    let marks = 0;
    /** Connected, and caught up: what is said now comes after all that was missed. */
    async function known(what: string): Promise<void> {
      const { world } = stage;
      await station.isState('connected');
      const text = `mark ${++marks} ${what}`;
      await world.peer.say('group', text);
      await station.arrived(world.chats.group, text);
      await station.historySettled();
    }

    async function texts(name: string): Promise<string[]> {
      return (await station.texts(stage.world.chats.group)).filter((text) => text.startsWith(`${name} `));
    }
  });
}

function sockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TCPSocket|TLS/.test(kind)).length;
}
