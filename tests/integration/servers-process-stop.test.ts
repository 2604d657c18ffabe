import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { createGuard } from '../../src/servers/process/guard.ts';
import { launch } from '../../src/servers/process/launch.ts';
import { listProcesses } from '../../src/servers/process/process-table.ts';
import { isAlive, until } from '../support/mcp/shim-program.ts';
import { firstLine, nodePlan, quietOutput } from '../support/servers/process-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CYCLES = process.env.SOAK ? 1_000 : 50;
/** Shorter than in production, so that stubborn processes are killed sooner. */
const STOP_TIMEOUT_MS = 3_000;

const home = temporaryFolder(after);
const guard = createGuard({ home });
after(() => guard.close());

function start(name: string, ...args: string[]) {
  const server = launch(nodePlan(home, name, args), { output: quietOutput(), guard, stopTimeoutMs: STOP_TIMEOUT_MS });
  after(() => server.stop());
  return server;
}

/** A server, and the pid of the process that prints it, which may be a descendant. */
async function startReady(name: string, ...args: string[]) {
  const server = start(name, ...args);
  const inner = Number((await firstLine(server.stdout)).split(' ')[1]);
  assert.ok(isAlive(inner));
  return { server, inner };
}

describe('stopping a server', { concurrency: true }, () => {
  test('HOST-06 a process that ignores signals and the end of its input is killed', async () => {
    const { server, inner } = await startReady('stubborn');

    await server.stop();

    assert.equal(isAlive(inner), false);
    assert.deepEqual(await server.exited, { code: null, signal: 'SIGKILL' });
  });

  test('HOST-06 the grandchild of a wrapper ends with it', async () => {
    const { server, inner } = await startReady('wrapper', 'process-stubborn.mjs');

    await server.stop();

    assert.notEqual(server.pid, inner);
    assert.equal(isAlive(inner), false);
    assert.equal(isAlive(server.pid ?? 0), false);
  });

  test('HOST-06 a descendant in a session of its own is found by its environment', async () => {
    const { server, inner } = await startReady('wrapper', 'process-stubborn.mjs', '--new-session', '--exit');

    await server.exited;
    await server.stop();

    assert.equal(isAlive(inner), false);
  });

  test('HOST-06 a descendant in a session of its own with another environment is found by its parent', async () => {
    const { server, inner } = await startReady('wrapper', 'process-stubborn.mjs', '--new-session', '--clean');

    await server.stop();

    assert.equal(isAlive(inner), false);
  });

  test('what is left of a server whose process exited is ended without a call of stop', async () => {
    const { server, inner } = await startReady('wrapper', 'process-stubborn.mjs', '--exit');

    const exit = await server.exited;

    assert.deepEqual(exit, { code: 0, signal: null });
    await until('the rest has ended', () => !isAlive(inner));
  });

  test('stopping twice, or after the end, is the same as stopping once', async () => {
    const { server } = await startReady('stubborn');

    await Promise.all([server.stop(), server.stop()]);
    await server.stop();

    assert.equal(isAlive(server.pid ?? 0), false);
  });

  test('other processes are left alone', async () => {
    const other = spawn(process.execPath, nodePlan(home, 'stubborn').args, { stdio: ['pipe', 'pipe', 'ignore'] });
    after(() => other.kill('SIGKILL'));
    await firstLine(other.stdout);
    const { server } = await startReady('stubborn');
    const { server: neighbour } = await startReady('stubborn');

    await server.stop();

    assert.ok(isAlive(other.pid ?? 0));
    assert.ok(isAlive(neighbour.pid ?? 0));
  });
});

test(`${CYCLES} starts and stops leave no process and no descriptor`, async () => {
  const before = { descriptors: openDescriptors(), children: await ownChildren() };

  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const server = launch({ ...nodePlan(home, 'failing'), command: 'cat', args: [] }, { output: quietOutput(), guard });
    server.stdout.resume();
    if (cycle % 5 !== 0) await server.stop();
    else await Promise.all([server.stop(), server.stop()]);
  }

  await until('all descriptors are closed', () => openDescriptors() <= before.descriptors);
  assert.equal(await ownChildren(), before.children);
});

async function ownChildren(): Promise<number> {
  return (await listProcesses()).filter(({ parent, isZombie }) => parent === process.pid && !isZombie).length;
}

function openDescriptors(): number {
  return readdirSync(process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd').length;
}
