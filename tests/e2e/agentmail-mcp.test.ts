import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { agentmailPath, createMailWorld, runOutsideTmux } from '../support/agentmail/program.ts';
import { programEnvironment } from '../support/program.ts';
import { startStopwatch, withinLimit } from '../support/stopwatch.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

describe('agentmail mcp', { timeout: 300_000 }, () => {
  const outside = temporaryFolder(after);

  for (const [name, args] of [
    ['a shim', []],
    ['one process', ['--embedded']],
  ] as const) {
    for (const ending of ['kill-session', 'kill-pane', 'kill-server']) {
      test(`AGENT-16 as ${name} it exits with 1 within a second of ${ending}`, async (t) => {
        const isQuick = await withinLimit(1_000, async () => {
          const { server, mcp } = await serving(t, args);
          const exited = once(mcp, 'exit');
          server.tmux(...(ending === 'kill-server' ? [ending] : [ending, '-t', server.first]));
          const elapsed = startStopwatch();
          const [code] = await exited;
          assert.equal(code, 1);
          return elapsed();
        });

        assert(isQuick);
      });
    }
  }

  test('it exits with 0 when its client closes the connection', async (t) => {
    const { mcp } = await serving(t, []);

    mcp.stdin.end();
    const [code] = await once(mcp, 'exit');

    assert.equal(code, 0);
  });

  test('it keeps running when its window is renamed', async (t) => {
    const { server, mcp } = await serving(t, []);

    server.rename(server.first, 'renamed');
    mcp.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`);
    const [answer] = await once(mcp.stdout, 'data');

    assert.equal(JSON.parse(String(answer)).id, 2);
  });

  test('outside tmux it exits with 1 and an error message', async () => {
    const result = await runOutsideTmux(['mcp'], { cwd: outside });

    assert.deepEqual(result, { code: 1, stdout: '', stderr: 'error: not running inside a tmux session\n' });
  });
});

async function serving(t: TestContext, args: readonly string[]) {
  const onEnd = t.after.bind(t);
  const folder = temporaryFolder(onEnd);
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  const { server, project } = createMailWorld(onEnd, folder);
  // Another session keeps the server alive when the first one ends.
  server.addSession('other', 'elsewhere');
  // Writing coverage data takes longer than the exit itself.
  const { NODE_V8_COVERAGE: _, ...env } = programEnvironment({ home, env: server.env(server.first) });
  const mcp: ChildProcessWithoutNullStreams = spawn(process.execPath, [agentmailPath, 'mcp', ...args], {
    cwd: project,
    env,
  });
  t.after(() => mcp.kill('SIGKILL'));
  mcp.stderr.resume();
  mcp.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  const [answer] = await once(mcp.stdout, 'data');
  assert.equal(JSON.parse(String(answer)).result.serverInfo.name.length > 0, true);
  return { server, mcp };
}
