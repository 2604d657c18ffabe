import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openPort } from '../../src/http/port.ts';
import { listenHttp } from '../../src/http/server.ts';
import { createAuth } from '../../src/http/tokens.ts';
import { HTTP_LIMITS, OWN_USER, openHttpDoor } from '../support/http/door.ts';
import { silentLog } from '../support/operation-context.ts';

async function open(context: TestContext, port = 0) {
  const opened = await openPort({ host: '127.0.0.1', port, connectTimeoutMs: 30_000, log: silentLog });
  context.after(opened.close);
  return opened;
}

describe('a port that is opened before the server is ready', () => {
  test('an early request is served once the server is ready', async (context) => {
    const port = await open(context);
    const early = fetch(`${port.url}/healthz`);
    await new Promise((resolve) => port.server.once('request', resolve));

    await listenHttp(rooms, port, settings);
    const [first, second] = [await early, await fetch(`${port.url}/healthz`)];

    assert.deepEqual([first.status, second.status], [200, 200]);
  });

  test('an early request is disconnected if the port is closed again', async (context) => {
    const port = await open(context);
    const early = fetch(`${port.url}/healthz`);
    await new Promise((resolve) => port.server.once('request', resolve));

    port.close();

    await assert.rejects(early);
  });

  test('a port in use is reported as a conflict that names it', async (context) => {
    const { url } = await openHttpDoor(context);
    const taken = Number(new URL(url).port);

    await assert.rejects(open(context, taken), {
      code: 'CONFLICT',
      message: `Port ${taken} on 127.0.0.1 is in use by another program.`,
    });
  });
});

const settings = {
  peers: OWN_USER,
  limits: () => HTTP_LIMITS,
  host: '127.0.0.1',
  auth: createAuth({ tokens: [], localScopes: [] }),
  allowedHosts: [],
  allowedOrigins: [],
  log: silentLog,
};

const rooms = {
  mcp: async () => {},
  sse: () => {},
  messages: async () => {},
  rest: async () => {},
  ready: async () => [],
  metrics: () => undefined,
};
