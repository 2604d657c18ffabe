import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { localPrincipal } from '../../src/domain/principal.ts';
import type { ClientAccess } from '../../src/mcp/connection.ts';
import { createMcpHttp } from '../../src/mcp/http.ts';
import { createSse } from '../../src/mcp/sse.ts';
import { serveStreams } from '../../src/mcp/stdio.ts';
import { createFixtureRegistry } from '../conformance/fixture-registry.ts';
import { openDoorParts } from '../conformance/serve.ts';
import { openHttpDoor } from '../support/http/door.ts';
import { countedRegistry } from '../support/mcp/counted-registry.ts';
import { openSession, openStream, post, standardHeaders } from '../support/mcp/rpc-http.ts';
import { rpcOverLines } from '../support/mcp/rpc-lines.ts';
import { request, stateless } from '../support/mcp/rpc-message.ts';
import { createSlowTool } from '../support/mcp/slow-tool.ts';

const CLIENTS = 30;
const WATCHED = { uri: 'test://watched-resource' };
const LISTEN = request(
  'subscriptions/listen',
  stateless({ notifications: { resourceSubscriptions: [WATCHED.uri], toolsListChanged: true } }),
);
const WAIT = { name: 'wait', arguments: {} };

describe('disconnected clients on streams', () => {
  test('leave nothing behind, with either protocol version, however they disconnect', async () => {
    const { parts, close } = await openDoorParts();
    const { registry, listeners } = countedRegistry(createFixtureRegistry().registry);

    for (let client = 0; client < CLIENTS; client += 1) {
      const { rpc, over, output } = connect(parts, { registry, principal: localPrincipal(), only: [] });
      if (client % 2 === 0) await rpc.initialize();
      if (client % 2 === 0) await rpc.call('resources/subscribe', WATCHED);
      else rpc.send(LISTEN);
      if (client % 2 === 1) await rpc.messages.notified('notifications/subscriptions/acknowledged');
      assert.ok(listeners() > 0);
      if (client % 3 === 0) output.destroy();
      else rpc.end();
      await over;
    }
    await close();

    assert.equal(listeners(), 0);
    assert.equal(parts.gates.running(), 0);
  });
});

describe('disconnected clients on HTTP', () => {
  test('leave no session behind after deleting it or after a refused initialize', async (context) => {
    const { url, mcp, parts, listeners } = await serve(context);
    const before = listeners();

    for (let client = 0; client < CLIENTS; client += 1) {
      const session = await openSession(url);
      const stream = await session.listen();
      await session.call('resources/subscribe', WATCHED);
      await session.close();
      await stream.ended;
      await post(url, request('initialize', {}));
    }

    assert.equal(mcp.sessions.count(), 0);
    assert.equal(listeners(), before);
    assert.equal(parts.gates.running(), 0);
  });

  test('leave no subscription behind that was made without a session', async (context) => {
    const { url, parts, listeners } = await serve(context);
    await post(url, request('tools/list', stateless()), standardHeaders({ method: 'tools/list' }));
    const before = listeners();

    const streams = await Promise.all(
      Array.from({ length: CLIENTS }, () => openStream(url, { message: LISTEN, headers: standardHeaders(LISTEN) })),
    );
    await Promise.all(streams.map(({ messages }) => messages.notified('notifications/subscriptions/acknowledged')));
    const during = listeners();
    for (const { close } of streams) close();
    while (listeners() > before) await new Promise(setImmediate);

    assert.ok(during > before);
    assert.equal(parts.gates.running(), 0);
  });

  test('free their slots, even while their requests still run', async (context) => {
    const { url, parts, slow } = await serve(context);
    const message = request('tools/call', stateless(WAIT));
    const leaving = new AbortController();
    const calls = Array.from({ length: 5 }, () =>
      post(url, message, standardHeaders(message), leaving.signal).catch(() => 'left'),
    );
    await slow.begun(5);
    const during = parts.gates.running();

    leaving.abort();
    await Promise.all(calls);
    while (parts.gates.running() > 0) await new Promise(setImmediate);

    assert.equal(during, 5);
    assert.equal(slow.aborted(), 5);
  });

  test('of the HTTP+SSE transport leave no connection behind', async (context) => {
    const { origin, listeners, nobodyListens, slow } = await serve(context);
    const stream = await openStream(`${origin}/sse`);
    const during = listeners();

    stream.close();
    await nobodyListens();

    assert.ok(during > 0);
    assert.equal(slow.aborted(), 0);
  });
});

type Parts = Awaited<ReturnType<typeof openDoorParts>>['parts'];

function connect(parts: Parts, access: ClientAccess) {
  const input = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController().signal;
  const over = serveStreams(parts, { ...access, input, output, stop });
  return { rpc: rpcOverLines(input, output), output, over };
}

async function serve(context: TestContext) {
  const slow = createSlowTool();
  const counted = countedRegistry(createFixtureRegistry([slow.entry]).registry);
  const { parts, close } = await openDoorParts();
  const mcp = createMcpHttp({ ...parts, sessionIdleMs: 60_000, maxSessions: 100, maxSessionsPerToken: 100 });
  const sse = createSse(parts);
  const access = (principal: ClientAccess['principal']): ClientAccess => ({
    registry: counted.registry,
    principal,
    only: [],
  });
  const door = await openHttpDoor(
    context,
    {
      mcp: (incoming, response, principal) => mcp.handle(incoming, response, access(principal)),
      sse: (response, principal) => sse.listen(response, access(principal)),
    },
    {},
    async () => {
      slow.release();
      await Promise.all([mcp.close(), sse.close()]);
      await close();
    },
  );
  return { ...counted, url: `${door.url}/mcp`, origin: door.url, mcp, parts, slow };
}
