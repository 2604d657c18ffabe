import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '../../../tests/support/operation-context.ts';
import { serverConfig } from '../../../tests/support/servers/process-config.ts';
import type { ServerProblem } from '../../domain/server-state.ts';
import type { ServerStore } from '../ports.ts';
import type { ServerOutput } from '../process/server-process.ts';
import { type Upstream, UpstreamFailure, type UpstreamListener } from '../upstream/upstream.ts';
import { createManagedServer } from './managed-server.ts';

/** A server whose calls are answered only by the end of the connection. */
function createWorld() {
  const updated: string[] = [];
  let listener: UpstreamListener | undefined;
  const server = createManagedServer(
    {
      config: serverConfig({ package: { type: 'npm', identifier: 'zoo' }, idle_stop_ms: 1_000 }),
      stoppedByHand: false,
      createdAt: 0,
    },
    {
      async connect(_, given) {
        listener = given;
        const lost = Promise.withResolvers<never>();
        lost.promise.catch(() => {});
        const upstream = {
          era: 'sessions',
          serverInfo: {},
          protocolVersion: '',
          capabilities: {},
          list: async () => [],
          subscribe: async () => {},
          unsubscribe: async () => {},
          request: () => lost.promise,
        } as unknown as Upstream;
        return {
          upstream,
          pid: 1,
          ended: new Promise<ServerProblem>(() => {}),
          close: async () => lost.reject(new UpstreamFailure('closed', 'It has ended.')),
        };
      },
      store: { saveManifest: async () => {} } as unknown as ServerStore,
      clock: { now: () => Date.now() },
      log: silentLog,
      output: {} as ServerOutput,
      limits: () => ({
        callTimeoutMs: 1_000,
        maxResultBytes: 1_000,
        pingIntervalMs: 1e6,
        pingTimeoutMs: 1_000,
        sessionIdleMs: 1_000,
      }),
      onOffer() {},
      onState() {},
      onResourceUpdated: (uri) => void updated.push(uri),
    },
  );
  return { server, updated, listener: () => listener };
}

const CALL = { signal: new AbortController().signal, sessionKey: 'local', session: undefined, ask: async () => ({}) };

test('HOST-06 a server that was stopped by hand during a call stays so, although it stops when unused', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { server } = createWorld();
  await server.start();
  const call = server.request('tools/call', {}, CALL).catch((thrown: { code: string }) => thrown.code);

  await server.stop(true);
  t.mock.timers.tick(100);
  await call;
  t.mock.timers.tick(10_000);

  assert.deepEqual(server.state(), { state: 'stopped', byHand: true });
});

test('HOST-22 a server reports only changes of resources that are followed', async () => {
  const { server, updated, listener } = createWorld();
  await server.start();
  const release = await server.subscribe('zoo://lion');

  for (const uri of ['zoo://lion', 'messages://telegram/1']) listener()?.onResourceUpdated(uri);
  release();
  listener()?.onResourceUpdated('zoo://lion');
  await server.stop(false);

  assert.deepEqual(updated, ['zoo://lion']);
});
