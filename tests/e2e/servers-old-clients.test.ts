import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { SDK_VERSIONS, type SdkVersion } from '../support/mcp/sdk-clients.ts';
import { programEnvironment, programPath } from '../support/program.ts';
import { type FeatureProgram, startFeatureProgram } from '../support/servers/feature-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const SERVERS = ['sessions', 'stateless'] as const;

/** What the protocol version of a client can carry. */
const CARRIES: Record<string, { audio: boolean; links: boolean }> = {
  'SDK 1.0.4': { audio: false, links: false },
  'SDK 1.12.3': { audio: true, links: false },
};

describe('HOST-22 clients of every age call the tools of other servers', () => {
  let program: FeatureProgram;

  before(async () => {
    program = await startFeatureProgram(join(folder, 'home'));
    for (const era of SERVERS) await program.addFeatures(era, { transport: 'stdio', era });
  });
  after(() => program.close());

  async function clientOf(context: TestContext, version: SdkVersion, transport: object) {
    const client = await version.client();
    context.after(() => client.close());
    await client.connect(transport);
    return client;
  }

  const over: Record<string, (version: SdkVersion) => Promise<object> | undefined> = {
    stdio(version) {
      const { NODE_V8_COVERAGE: _, ...env } = programEnvironment({ home: program.home, env: program.settings });
      return version.stdio({ command: process.execPath, args: [programPath, 'mcp'], env });
    },
    '/mcp': ({ streamable }) => streamable?.(new URL(program.url), {}),
    '/sse': ({ sse }) => sse?.(new URL('/sse', program.base), {}),
  };

  for (const version of SDK_VERSIONS) {
    const { audio, links } = CARRIES[version.name] ?? { audio: true, links: true };
    for (const [name, transportOf] of Object.entries(over)) {
      if (name === '/mcp' && !version.streamable) continue;
      if (name === '/sse' && !version.sse) continue;
      test(`${version.name} over ${name}`, async (context) => {
        const transport = await transportOf(version);
        assert.ok(transport);
        const client = await clientOf(context, version, transport);
        for (const server of SERVERS) {
          const named = (tool: string) => ({ name: `${server}__${tool}_${server}`, arguments: { text: 'hi' } });

          const { tools } = await client.listTools();
          const echoed = await client.callTool(named('echo'));
          const media = await client.callTool(named('media'));
          const { contents } = await client.readResource({ uri: `test://${server}/readme` });

          assert.ok(tools.some((tool) => tool.name === `${server}__echo_${server}`));
          assert.deepEqual(echoed.content, [{ type: 'text', text: 'hi' }]);
          assert.equal(contents[0]?.text, `readme of ${server}`);
          const blocks = media.content as { type: string; text?: string }[];
          assert.deepEqual(
            blocks.map(({ type }) => type),
            ['image', audio ? 'audio' : 'text', links ? 'resource_link' : 'text'],
          );
          if (!links) assert.equal(blocks[2]?.text, `readme: test://${server}/readme`);
        }
      });
    }
  }
});
