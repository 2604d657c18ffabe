import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inspectWith } from '../support/mcp/inspector.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { programPath } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ERAS = ['legacy', 'modern'] as const;
const TOKEN = 'a-token-for-the-inspector';

const folder = temporaryFolder(after);

const inspect = (target: readonly string[], ...args: string[]) => inspectWith({ userHome: folder }, target, ...args);

function behavesUnder(name: string, target: () => readonly string[]): void {
  for (const era of ERAS) {
    describe(`the inspector ${name}, era ${era}`, () => {
      const run = (...args: string[]) => inspect(target(), '--protocol-era', era, ...args);

      test('lists the tools and finds no problem in their schemas', async () => {
        const { code, result } = await run('--method', 'tools/list', '--strict');

        assert.equal(code, 0);
        assert.partialDeepStrictEqual(result, { tools: [{ name: 'switchboard_status' }] });
      });

      test('calls a tool', async () => {
        const { code, result } = await run('--method', 'tools/call', '--tool-name', 'switchboard_status');

        assert.equal(code, 0);
        assert.partialDeepStrictEqual(result, { structuredContent: { capabilities: ['system'] } });
      });

      test('lists resources and reads one', async () => {
        const listed = await run('--method', 'resources/list');
        const read = await run('--method', 'resources/read', '--uri', 'switchboard://config');

        assert.deepEqual([listed.code, read.code], [0, 0]);
        assert.partialDeepStrictEqual(listed.result, {
          resources: [{ uri: 'switchboard://config' }, { uri: 'switchboard://status' }],
        });
        assert.partialDeepStrictEqual(read.result, {
          contents: [{ uri: 'switchboard://config', mimeType: 'application/json' }],
        });
      });

      test('lists resource templates and prompts', async () => {
        const templates = await run('--method', 'resources/templates/list');
        const prompts = await run('--method', 'prompts/list');

        assert.deepEqual([templates.code, prompts.code], [0, 0]);
        assert.partialDeepStrictEqual(templates.result, {
          resourceTemplates: [{ uriTemplate: 'switchboard://sessions/{id}' }],
        });
        assert.partialDeepStrictEqual(prompts.result, { prompts: [{ name: 'analyze_conversation' }] });
      });

      test('exits with 5 for a tool that does not exist', async () => {
        const { code } = await run('--method', 'tools/call', '--tool-name', 'nope');

        assert.equal(code, 5);
      });
    });
  }
}

behavesUnder('on stdio', () => [
  process.execPath,
  programPath,
  'mcp',
  '--embedded',
  '-e',
  `SWITCHBOARD_HOME=${join(folder, 'stdio')}`,
]);

describe('on HTTP', () => {
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    program = await startHttp({ home: join(folder, 'http'), env: { SWITCHBOARD_AUTH__TOKEN: TOKEN } });
  });

  after(() => program.stop());

  behavesUnder('on HTTP', () => [program.url, '--transport', 'http', '--header', `Authorization: Bearer ${TOKEN}`]);

  test('CHAT-27 the inspector without a token exits with 3: authentication is required', async () => {
    const { code } = await inspect(
      [program.url, '--transport', 'http', '--stored-auth-only'],
      '--method',
      'tools/list',
    );

    assert.equal(code, 3);
  });
});
