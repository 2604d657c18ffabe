import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { exitOf, SDK_VERSIONS, type SdkClient, type SdkVersion } from '../support/mcp/sdk-clients.ts';
import { programEnvironment, programPath } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOKEN = 'a-token-for-clients';
const AUTHORIZED = { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } };

/** The calls that every client makes after it has connected. */
async function use(client: SdkClient, { pings }: SdkVersion): Promise<void> {
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  const status = await client.callTool({ name: 'switchboard_status', arguments: {} });
  const { contents } = await client.readResource({ uri: 'switchboard://status' });
  if (pings) await client.ping();

  assert.equal(client.getServerVersion()?.name, 'switchboard');
  assert.ok(tools.some(({ name }) => name === 'switchboard_status'));
  assert.ok(resources.some(({ uri }) => uri === 'switchboard://status'));
  assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === 'switchboard://sessions/{id}'));
  assert.ok(prompts.some(({ name }) => name === 'analyze_conversation'));
  assert.notEqual(status.isError, true);
  assert.partialDeepStrictEqual(JSON.parse(contents[0]?.text ?? ''), { capabilities: ['system'] });
}

/** A client that is closed after its test, also when the test fails. */
async function clientOf(context: TestContext, version: SdkVersion): Promise<SdkClient> {
  const client = await version.client();
  context.after(() => client.close());
  return client;
}

/**
 * Newer clients allow a program two seconds to exit after its input ends. While Node writes coverage data at exit, it
 * handles no signals, and on a busy machine that takes longer.
 */
function withoutRecording(home: string): Record<string, string> {
  const { NODE_V8_COVERAGE: _, ...env } = programEnvironment({ home });
  return env;
}

describe('on stdio', () => {
  const folder = temporaryFolder(after);

  for (const [index, version] of SDK_VERSIONS.entries()) {
    test(`CORE-01 CHAT-01 ${version.name} connects, lists, calls and disconnects`, async (context) => {
      const client = await clientOf(context, version);
      const transport = await version.stdio({
        command: process.execPath,
        args: [programPath, 'mcp', '--embedded'],
        env: withoutRecording(join(folder, `stdio-${index}`)),
      });

      await client.connect(transport);
      await use(client, version);
      const exit = exitOf(transport);
      await client.close();

      assert.deepEqual(await exit, { code: 0, signal: null });
    });
  }
});

describe('on HTTP', () => {
  const folder = temporaryFolder(after);
  let guarded: Awaited<ReturnType<typeof startHttp>>;
  let open: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    guarded = await startHttp({ home: join(folder, 'guarded'), env: { SWITCHBOARD_AUTH__TOKEN: TOKEN } });
    open = await startHttp({ home: join(folder, 'open') });
  });

  after(async () => {
    const ends = await Promise.all([guarded.stop(), open.stop()]);

    assert.deepEqual(
      ends.map(({ code }) => code),
      [0, 0],
    );
  });

  for (const version of SDK_VERSIONS) {
    const { streamable, sse } = version;
    if (streamable) {
      test(`CHAT-02 CHAT-28 ${version.name} connects to /mcp, lists, calls and disconnects`, async (context) => {
        const client = await clientOf(context, version);

        await client.connect(await streamable(new URL(guarded.url), AUTHORIZED));
        await use(client, version);
        await client.close();
      });
    }
    if (sse) {
      test(`CHAT-02 ${version.name} connects to /sse, lists, calls and disconnects`, async (context) => {
        const client = await clientOf(context, version);
        const { base } = version.sendsNoToken ? open : guarded;

        await client.connect(await sse(new URL('/sse', base), AUTHORIZED));
        await use(client, version);
        await client.close();
      });
    }
  }
});
