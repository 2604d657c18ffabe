import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import type { Message } from '../support/mcp/rpc-message.ts';
import { removeHome, type Shim, startShim } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const STATUS = 'switchboard://status';
let homes = 0;

function freshHome(context: TestContext): string {
  const home = join(folder, `h${++homes}`);
  context.after(() => removeHome(home));
  return home;
}

async function connect(context: TestContext, url: string): Promise<Shim> {
  const shim = startShim({ home: freshHome(context) }, ['--api-url', url]);
  context.after(() => shim.signal('SIGKILL'));
  await shim.initialize();
  return shim;
}

/** Replaces the server by one that knows neither the session of the client nor the numbers of its events. */
async function replaceServer(context: TestContext) {
  const port = await freePort();
  const server = await startHttp({ home: freshHome(context), port });
  const client = await connect(context, server.base);
  return {
    client,
    base: server.base,
    async replace() {
      await server.stop();
      const other = await startHttp({ home: freshHome(context), port });
      context.after(() => other.stop());
      const heard = client.messages.all.length;
      await client.call('tools/call', { name: 'switchboard_status', arguments: {} });
      // Another client is news for whoever follows the status.
      await connect(context, server.base);
      return { updates: () => client.messages.all.slice(heard).filter(isUpdate) };
    },
  };
}

const isUpdate = ({ method }: Message) => method === 'notifications/resources/updated';
const hasEvent = ({ params }: Message) => Object.keys(params?._meta ?? {}).includes('switchboard/event');

test('a subscription that resumed after an event goes on at a server that does not know that event', {
  timeout: 60_000,
}, async (context) => {
  const { client, base, replace } = await replaceServer(context);
  // Each session has events, so that the next server does not have the number that is resumed from.
  await connect(context, base);
  await connect(context, base);
  const { result } = await (await connect(context, base)).call('resources/subscribe', { uri: STATUS });
  const meta = (result?._meta ?? {}) as Record<string, unknown>;
  await client.call('resources/subscribe', { uri: `${STATUS}?after=${meta['switchboard/after']}` });

  await replace();
  const told = await client.messages.take((message) => isUpdate(message) && !hasEvent(message));
  const news = await client.messages.take((message) => isUpdate(message) && hasEvent(message));

  assert.deepEqual([told.params?.uri, news.params?.uri], [STATUS, STATUS]);
});

test('a subscription that resumed after an event ends when its resource is unsubscribed', {
  timeout: 60_000,
}, async (context) => {
  const { client, replace } = await replaceServer(context);
  await client.call('resources/subscribe', { uri: `${STATUS}?after=0` });
  await client.call('resources/unsubscribe', { uri: STATUS });

  const { updates } = await replace();
  await client.call('ping');

  assert.deepEqual(updates(), []);
});
