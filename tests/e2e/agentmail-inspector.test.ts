import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { agentmailPath, createMailWorld } from '../support/agentmail/program.ts';
import { inspectWith } from '../support/mcp/inspector.ts';
import { removeHome } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

for (const era of ['legacy', 'modern']) {
  describe(`AGENT-22 the MCP inspector on the command line drives agentmail mcp, era ${era}`, {
    timeout: 300_000,
  }, () => {
    const folder = temporaryFolder(after);
    const home = join(folder, 'home');
    const world = createMailWorld(after, folder);
    const other = world.server.addWindow('a2');
    after(() => removeHome(home));

    const inspect = (pane: string, ...args: string[]) => {
      const { TMUX, TMUX_PANE } = world.server.env(pane);
      const variables = [`SWITCHBOARD_HOME=${home}`, `TMUX=${TMUX}`, `TMUX_PANE=${TMUX_PANE}`];
      const target = [process.execPath, agentmailPath, 'mcp', ...variables.flatMap((each) => ['-e', each])];
      return inspectWith({ userHome: folder, cwd: world.project }, target, '--protocol-era', era, ...args);
    };
    const call = (pane: string, tool: string, ...args: string[]) =>
      inspect(pane, '--method', 'tools/call', '--tool-name', tool, ...args.flatMap((each) => ['--tool-arg', each]));

    test('it lists the tools and finds no problem in their schemas', async () => {
      const { code, result } = await inspect(world.server.first, '--method', 'tools/list', '--strict');

      assert.equal(code, 0);
      const tools = result?.tools as { name: string }[];
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['list-recipients', 'receive', 'send', 'status'],
      );
    });

    test('it sends a letter and receives one', async () => {
      const sent = await call(world.server.first, 'send', 'recipient=a2', 'message=hi there');
      const received = await call(other, 'receive');

      assert.deepEqual([sent.code, received.code], [0, 0]);
      assert.partialDeepStrictEqual(sent.result, { structuredContent: { status: 'stored', to: 'a2' } });
      assert.partialDeepStrictEqual(received.result, { structuredContent: { from: 'a1', message: 'hi there' } });
    });

    test('it gets our error text for an invalid status', async () => {
      const { result } = await call(world.server.first, 'status', 'status=busy');

      assert.partialDeepStrictEqual(result, {
        isError: true,
        content: [{ text: 'Invalid status: busy. Valid: ready, work, offline' }],
      });
    });
  });
}
