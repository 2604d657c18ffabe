import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { startTlsProxy } from '../support/http/tls-proxy.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { openSession } from '../support/mcp/rpc-http.ts';
import { stateless } from '../support/mcp/rpc-message.ts';
import { removeHome, startShim } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const TOKEN = 'the-token-of-this-test';
const STATUS = { name: 'switchboard_status', arguments: {} };
const UPDATED = 'notifications/resources/updated';
let homes = 0;

function freshHome(context: TestContext): string {
  const home = join(folder, `h${++homes}`);
  context.after(() => removeHome(home));
  return home;
}

async function startServer(context: TestContext) {
  const server = await startHttp({ home: freshHome(context) }, ['--token', TOKEN]);
  context.after(() => server.stop());
  return server;
}

describe('a remote Switchboard behind HTTPS', () => {
  test('is used if its certificate is trusted', async (context) => {
    const { base } = await startServer(context);
    const { url, certificate } = await startTlsProxy(context, base);
    const env = { SWITCHBOARD_API_TOKEN: TOKEN, NODE_EXTRA_CA_CERTS: certificate };
    const client = startShim({ home: freshHome(context), env }, ['--api-url', url]);
    context.after(() => client.signal('SIGKILL'));

    await client.initialize();
    await client.call('resources/subscribe', { uri: 'switchboard://status' });
    await (await openSession(`${base}/mcp`, { authorization: `Bearer ${TOKEN}` })).close();
    const told = await client.messages.notified(UPDATED);
    const called = await client.call('tools/call', stateless(STATUS));
    const { code, noise, stderr } = await client.stop();

    assert.equal(told.params?.uri, 'switchboard://status');
    assert.ok(called.result?.structuredContent);
    assert.deepEqual([code, noise, stderr], [0, [], '']);
  });

  const untrusted = {
    'from an unknown issuer': { options: {}, words: /is not trusted here: who issued it.*NODE_EXTRA_CA_CERTS/ },
    'for another name': { options: { name: 'DNS:elsewhere.example', trust: true }, words: /for another name/ },
  };
  for (const [which, { options, words }] of Object.entries(untrusted)) {
    test(`with a certificate ${which} is refused with an error that states the reason`, async (context) => {
      const { base } = await startServer(context);
      const { url, certificate } = await startTlsProxy(context, base, options);
      const env = { SWITCHBOARD_API_TOKEN: TOKEN, ...('trust' in options ? { NODE_EXTRA_CA_CERTS: certificate } : {}) };
      const client = startShim({ home: freshHome(context), env }, ['--api-url', url]);
      context.after(() => client.signal('SIGKILL'));

      const { result } = await client.call('tools/call', stateless(STATUS));
      const { code } = await client.stop();

      assert.equal(result?.isError, true);
      assert.match(JSON.stringify(result?.content), words);
      assert.equal(code, 0);
    });
  }
});
