import assert from 'node:assert/strict';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startAgent } from '../support/agentmail/agents.ts';
import { createMailWorld } from '../support/agentmail/program.ts';
import { daemonStatus, startShim, until } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOLD = ['up', 'pasted Check your agentmail', 'submitted Check your agentmail'];

describe('the mailman of the daemon', { timeout: 300_000 }, () => {
  test('AGENT-23 wakes agents that called by MCP, keeps the daemon running, and exits when their tmux session ends', async (t) => {
    const onEnd = (end: () => unknown) => t.after(end);
    const folder = realpathSync(temporaryFolder(onEnd));
    const home = join(folder, 'home');
    const { server, project, as } = createMailWorld(onEnd, folder);
    const agent = await startAgent(server, folder, 'a2');
    const pidFile = join(project, '.agentmail', 'mailman.pid');
    const env = { SWITCHBOARD_DAEMON__IDLE_EXIT_MS: '200' };

    const shim = startShim({ home, cwd: project, env: { ...server.env(agent.pane), ...env } });
    await shim.initialize();
    const ready = { name: 'agentmail_status', arguments: { status: 'ready' } };
    assert.match(JSON.stringify(await shim.call('tools/call', ready)), /ready/);
    await until('the daemon runs the mailman', () => existsSync(pidFile));
    const { pid } = await daemonStatus(home);
    await shim.stop();

    assert.equal(readFileSync(pidFile, 'utf8'), `${pid}\n`);
    await as(server.first, 'send', 'a2', 'hello');
    assert.deepEqual(await agent.until(TOLD.length), TOLD);
    const second = await as(server.first, 'mailman');
    const stop = await as(server.first, 'mailman', 'stop');
    assert.deepEqual([second.code, second.stderr], [2, `error: mailman daemon already running (PID: ${pid})\n`]);
    assert.match(stop.stderr, /^error: the mailman is part of the Switchboard daemon \(PID: \d+\)\n/);
    server.tmux('kill-session', '-t', '=main');
    await until('the mailman has exited', () => !existsSync(pidFile));
    await until('the daemon has exited', async () => !(await daemonStatus(home)).running);
  });
});
