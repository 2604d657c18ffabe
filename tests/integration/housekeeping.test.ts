import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { startHousekeeping } from '../../src/daemon/housekeeping.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createFixtureRegistry } from '../conformance/fixture-registry.ts';
import { OWNER_TOKEN, openMemoryStore, serveFixture } from '../conformance/serve.ts';
import { openSession } from '../support/mcp/rpc-http.ts';
import { silentLog } from '../support/operation-context.ts';
import { saveNew } from '../support/store/samples.ts';

const MINUTE = 60_000;

describe('HTTP sessions whose server process died', () => {
  before(() => mock.timers.enable({ apis: ['setInterval', 'setTimeout', 'Date'], now: Date.UTC(2030, 0, 1) }));
  after(() => mock.timers.reset());

  test('are closed when unused for as long as the configuration says', async (context) => {
    const store = await openMemoryStore();
    context.after(() => store.close());
    for (const id of ['silent', 'held', 'used']) await saveNew(store, id);
    const [used] = (await store.sessions.list()).filter(({ id }) => id === 'used');
    assert.ok(used);
    await store.sessions.touch(used.id, Date.now());

    const stop = startHousekeeping({
      sessions: store.sessions,
      retention: [],
      clock: systemClock,
      log: silentLog,
      sessionIdleMs: 30 * MINUTE,
      isHeld: ({ id }) => id === 'held',
    });
    mock.timers.tick(2 * MINUTE);
    const open = async () => (await store.sessions.list({ open: true })).map(({ id }) => String(id));
    await turns();
    const first = await open();
    mock.timers.tick(40 * MINUTE);
    await stop();

    assert.deepEqual(first, ['used', 'held']);
    assert.deepEqual(await open(), ['held']);
    assert.deepEqual(
      (await store.sessions.list({ open: false })).map(({ closedBecause }) => closedBecause),
      ['idle', 'idle'],
    );
  });
});

test('a server that is stopped stores when each client was last active', async (context) => {
  const store = await openMemoryStore();
  context.after(() => store.close());
  const served = await serveFixture(createFixtureRegistry().registry, {}, store);
  const session = await openSession(`${served.url}/mcp`, { authorization: `Bearer ${OWNER_TOKEN}` });
  const [opened] = await store.sessions.list();
  assert.ok(opened);
  while (Date.now() <= opened.activeAt) await turns();

  await session.call('ping');
  await served.close();
  const [left] = await store.sessions.list({ open: true });

  assert.ok(left && left.activeAt > opened.activeAt);
});

/** Lets pending work finish. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
