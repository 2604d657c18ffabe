import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerId } from '../../../src/domain/server-config.ts';
import type { ServerManifest } from '../../../src/domain/server-manifest.ts';
import { serverConfig } from '../servers/process-config.ts';
import type { Store } from './open-store.ts';

const config = (id: string, name = id) =>
  serverConfig({ id: id as ServerId, name, package: { type: 'npm', identifier: `@acme/${id}` } });

const manifest: ServerManifest = {
  serverInfo: { name: 'acme' },
  protocolVersion: '2025-11-25',
  capabilities: {},
  tools: [{ name: 'add', inputSchema: { type: 'object' } }],
  prompts: [],
  resources: [],
  resourceTemplates: [],
};

/** What every database must do with other MCP servers. */
export function serverContract(store: () => Store): void {
  const configs = async () => (await store().servers.list()).map((row) => row.config);
  const eventsOf = async () =>
    (await store().events.read(0)).filter(({ type }) => type.startsWith('server.')).map(({ type }) => type);

  test('HOST-03 are listed in the order in which they were added, unchanged', async () => {
    await store().servers.add(config('b'));
    await store().servers.add(config('a', 'Ä "quoted" \u0000 name'));

    assert.deepEqual(await configs(), [config('b'), config('a', 'Ä "quoted" \u0000 name')]);
    assert.partialDeepStrictEqual(await store().servers.list(), [{ stoppedByHand: false }, { stoppedByHand: false }]);
  });

  test('have unique ids', async () => {
    await store().servers.add(config('a', 'First'));

    await assert.rejects(store().servers.add(config('a', 'Second')), { code: 'CONFLICT', field: 'name' });

    assert.deepEqual(await configs(), [config('a', 'First')]);
    assert.deepEqual(await eventsOf(), ['server.added']);
  });

  test('are changed in place, and removed once', async () => {
    await store().servers.add(config('a'));
    await store().servers.add(config('b'));

    const changed = await store().servers.change({ ...config('a'), enabled: false });
    const unknown = await store().servers.change(config('nobody'));
    const listed = await configs();
    const removed = [await store().servers.remove('b' as ServerId), await store().servers.remove('b' as ServerId)];

    assert.deepEqual([changed, unknown, removed], [true, false, [true, false]]);
    assert.deepEqual(listed, [{ ...config('a'), enabled: false }, config('b')]);
    assert.deepEqual(await eventsOf(), ['server.added', 'server.added', 'server.changed', 'server.removed']);
  });

  test('keep what they offered, what was accepted, and that they were stopped by hand', async () => {
    const { id } = config('a');
    await store().servers.add(config('a'));
    const pins = { tools: { add: { name: 'add' } }, prompts: {} };

    await store().servers.saveManifest(id, manifest, pins);
    await store().servers.setStoppedByHand(id, true);

    assert.partialDeepStrictEqual(await store().servers.list(), [{ manifest, pins, stoppedByHand: true }]);
  });

  test('write events of their own, which name them', async () => {
    const { id } = config('a');
    await store().servers.add(config('a'));

    await store().servers.note(id, [
      { type: 'server.starting', data: {} },
      { type: 'server.error', data: { code: 'NETWORK_ERROR' } },
    ]);
    const events = await store().events.read(0);

    assert.partialDeepStrictEqual(events.slice(-2), [
      { type: 'server.starting', subject: 'a', data: { server: 'a' } },
      { type: 'server.error', data: { server: 'a', code: 'NETWORK_ERROR' } },
    ]);
  });
}
