import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { logout, openConnection } from '../../src/connectors/beeper/connection.ts';
import type { BeeperSettings } from '../../src/connectors/beeper/settings.ts';
import type { LoginHost } from '../../src/connectors/connector.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { BOB, ME, PAGE, TEAM } from '../support/beeper/beeper-model.ts';
import { type BeeperWorld, beeperWorld } from '../support/beeper/beeper-world.ts';
import { startConnectedSource } from '../support/connectors/connected-source.ts';
import { pageIn, rejectionOf } from '../support/connectors/outcomes.ts';
import { type RecordingOptions, runRecorded } from '../support/connectors/recording-host.ts';
import { until } from '../support/mcp/shim-program.ts';
import { silentLog } from '../support/operation-context.ts';
import { openStore } from '../support/store/open-store.ts';

const OLD = 12_000;

describe('Beeper Desktop', { timeout: 300_000 }, () => {
  test(`${OLD} messages are paged through, none is lost and none is stored twice`, async (context) => {
    const world = await startWorld(context);
    await world.writeOld?.(OLD);
    const store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
    const source = await startConnectedSource({ ...world, store });
    context.after(async () => {
      await source.stop();
      await store.close();
    });

    await until('all is there', async () => (await source.view()).historyComplete === true);

    const texts = await source.texts(TEAM);
    assert.equal(texts.length, OLD);
    assert.deepEqual([texts[0], texts.at(-1), new Set(texts).size], ['old 0', `old ${OLD - 1}`, OLD]);
  });

  test('messages of one timestamp are all there, in their order', async (context) => {
    const world = await startWorld(context);
    const connection = run(context, world);
    await connection.connected();

    const at = Date.now();
    for (let count = 0; count < 150; count++) world.model.tell(world.model.add(TEAM, BOB.id, { text: `${count}` }, at));
    await connection.until(() => connection.messages().length >= 150);
    const page = pageIn(await connection.connection.history?.(request('older')));

    const wanted = Array.from({ length: 150 }, (_, count) => `${count}`);
    assert.deepEqual(
      connection.messages().map(({ text }) => text),
      wanted,
    );
    assert.deepEqual(
      page.events.flatMap((event) => (event.kind === 'message' ? [event.message.text] : [])),
      wanted.slice(-PAGE),
    );
    assert.equal(page.end, false);
  });

  test('all networks are in one source, and a chat that is new is followed', async (context) => {
    const world = await startWorld(context);
    for (let count = 0; count < 250; count++) {
      world.model.chats.push({ id: `!c${count}`, network: 'Signal', title: `Chat ${count}`, type: 'group' });
    }
    const connection = run(context, world);
    await connection.connected();

    world.model.chats.push({ id: '!new', network: 'Instagram', title: 'New', type: 'single' });
    world.model.tell(world.model.add('!new', BOB.id, { text: 'hello' }));
    await connection.until(() => connection.timelines.some(({ id }) => id === '!new'));
    await connection.until(() => connection.messages().length > 0);

    assert.equal(connection.chat('!c249').name, 'Chat 249 (Signal)');
    assert.deepEqual(connection.messages()[0]?.chat, { id: '!new', name: 'New (Instagram)', type: 'direct' });
    assert.equal(connection.timelines.length, 253);
  });

  test('a message whose answer was lost is found, known to be absent, or unknown', async (context) => {
    const world = await startWorld(context);
    const { connection, connected } = run(context, world);
    await connected();
    const since = Date.now();
    world.model.add(TEAM, BOB.id, { text: 'long ago' }, since - 600_000);
    const look = async (text: string) => (await connection.wasSent?.({ id: '1', chat: TEAM, text, since }))?.kind;

    const before = await look('hello');
    world.model.add(TEAM, ME.id, { text: '<p>hello</p>' });
    const after = [await look('hello'), await look('something else')];

    assert.deepEqual([before, ...after], ['absent', 'sent', 'unknown']);
  });

  test('a stored token that was revoked is forgotten, and asked for again', async (context) => {
    const world = await startWorld(context);
    const secrets = new Map([['token', 'revoked']]);

    const { ended } = run(context, { ...world, settings: { url: world.settings.url } }, { secrets });

    assert.match(rejectionOf(await ended), /does not accept the access token. Run `switchboard chat login test`/);
    assert.equal(secrets.size, 0);
  });

  test('`chat logout` deletes the token, and says that it has to be revoked', async () => {
    const secrets = new Map([['token', 'a-token']]);
    const get = async (name: string) => secrets.get(name);
    const host = { secrets: { get, delete: async (name: string) => void secrets.delete(name) } } as LoginHost;

    const ends = [await logout({} as BeeperSettings, host), await logout({} as BeeperSettings, host)];

    assert.deepEqual([ends.map(({ kind }) => kind), secrets.size], [['not-revoked', 'done'], 0]);
  });

  test('files of this machine cannot be downloaded through it', async (context) => {
    const world = await startWorld(context);
    const { connection, connected } = run(context, world);
    await connected();
    world.model.assets.set('file:///etc/passwd', Buffer.from('root'));
    const signal = AbortSignal.timeout(60_000);

    const outcome = await connection.download?.({ type: 'file', url: 'file:///etc/passwd' }, { maxBytes: 9, signal });

    assert.equal(outcome?.kind, 'unavailable');
  });
});

function request(direction: 'older' | 'newer') {
  return { timeline: TEAM, direction, limit: 500, signal: AbortSignal.timeout(60_000) };
}

function run(context: TestContext, { settings }: Pick<BeeperWorld, 'settings'>, options?: RecordingOptions) {
  const connection = runRecorded(openConnection, settings as unknown as BeeperSettings, options);
  context.after(() => connection.stop());
  return connection;
}

async function startWorld(context: TestContext): Promise<BeeperWorld> {
  const world = await beeperWorld();
  context.after(() => world.close());
  return world;
}
