import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createGuard } from '../../src/servers/process/guard.ts';
import { createLeftovers } from '../../src/servers/process/leftovers.ts';
import { listProcesses } from '../../src/servers/process/process-table.ts';
import { sweepServers } from '../../src/servers/process/sweep.ts';
import { isAlive, until } from '../support/mcp/shim-program.ts';
import { firstLine, nodePlan } from '../support/servers/process-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = fileURLToPath(new URL('../support/servers/process-owner.ts', import.meta.url));
const STUBBORN = 'stubborn';
const WRAPPED = 'wrapper process-stubborn.mjs';
const ESCAPED = 'wrapper process-stubborn.mjs --new-session --exit';

const folder = temporaryFolder(after);

function homeNamed(name: string): string {
  const home = join(folder, name);
  mkdirSync(home);
  return home;
}

async function startOwner(home: string, ...programs: string[]): Promise<{ owner: ChildProcess; pids: number[] }> {
  const owner = spawn(process.execPath, [OWNER, home, ...programs], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pids: number[] = [];
  after(() => end([...pids, owner.pid ?? 0]));
  pids.push(...(JSON.parse(await firstLine(owner.stdout)) as number[]));
  return { owner, pids };
}

function end(pids: readonly number[]): void {
  for (const pid of pids) if (pid > 1 && isAlive(pid)) process.kill(pid, 'SIGKILL');
}

async function kill(process: ChildProcess): Promise<void> {
  process.kill('SIGKILL');
  await once(process, 'exit');
}

/** The shell that guards the servers of a process. */
async function guardOf(owner: number): Promise<number> {
  const children = (await listProcesses()).filter(({ parent }) => parent === owner);
  const guard = children.find(({ mark, isZombie }) => mark === undefined && !isZombie);
  assert.ok(guard);
  return guard.pid;
}

/** A process in a group of its own. */
async function startGroup(): Promise<ChildProcess & { pid: number }> {
  const { command, args, cwd, env } = nodePlan(folder, STUBBORN);
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  assert.ok(child.pid);
  after(() => child.kill('SIGKILL'));
  await firstLine(child.stdout);
  return Object.assign(child, { pid: child.pid });
}

describe('the guard', () => {
  test('servers end when the process that started them is killed', async () => {
    // Without /proc, the guard knows only groups; the sweep ends the others.
    const escaped = process.platform === 'linux' ? [ESCAPED] : [];
    const { owner, pids } = await startOwner(homeNamed('killed'), STUBBORN, WRAPPED, ...escaped);
    const guard = await guardOf(owner.pid ?? 0);

    await kill(owner);

    await until('all servers have ended', () => pids.every((pid) => !isAlive(pid)));
    await until('the guard has ended', () => !isAlive(guard));
  });

  test('it survives signals to the group of the process that it serves, and holds none of its descriptors', async () => {
    const { owner, pids } = await startOwner(homeNamed('signals'), STUBBORN);
    const guard = await guardOf(owner.pid ?? 0);

    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.kill(guard, signal);
    const group = (await listProcesses()).find(({ pid }) => pid === guard)?.group;
    const descriptors = process.platform === 'linux' ? readdirSync(`/proc/${guard}/fd`) : ['0', '1', '2'];

    assert.equal(group, guard);
    // The shell keeps the script's own copies above 9.
    assert.deepEqual(
      descriptors.filter((each) => Number(each) < 10),
      ['0', '1', '2'],
    );
    await kill(owner);
    await until('all servers have ended', () => pids.every((pid) => !isAlive(pid)));
  });

  test('it ends groups that were added, not those that were removed', async () => {
    const guard = createGuard({ home: folder });
    const [kept, removed, never] = await Promise.all([startGroup(), startGroup(), startGroup()]);
    for (const { pid } of [removed, kept]) guard.add(pid);
    guard.remove(removed.pid);
    for (const group of [0, 1, -1, Number.NaN, 1.5]) guard.add(group);

    await guard.close();

    await until('the group that was added has ended', () => !isAlive(kept.pid));
    assert.ok(isAlive(removed.pid));
    assert.ok(isAlive(never.pid));
  });

  test('a guard that was killed is replaced with the next server', async () => {
    const guard = createGuard({ home: folder });
    const [first, second] = await Promise.all([startGroup(), startGroup()]);
    const before = await childGroups();
    guard.add(first.pid);
    const [killed = 0] = (await childGroups()).filter((pid) => !before.includes(pid));
    process.kill(killed, 'SIGKILL');
    await until('it is replaced', async () => {
      guard.add(second.pid);
      return (await childGroups()).some((pid) => pid !== killed && !before.includes(pid));
    });

    await guard.close();

    await until('both groups have ended', () => !isAlive(first.pid) && !isAlive(second.pid));
  });
});

describe('the sweep', () => {
  test('what an earlier process of this home left is ended, and no process of another home', async () => {
    const home = homeNamed('swept');
    const left = await startOwner(home, STUBBORN, WRAPPED, ESCAPED);
    const other = await startOwner(homeNamed('other'), STUBBORN);
    await killWithGuard(left.owner);
    await killWithGuard(other.owner);
    assert.ok(left.pids.some(isAlive));

    const isClean = await sweepServers(home);

    assert.ok(isClean);
    assert.deepEqual(left.pids.filter(isAlive), []);
    assert.deepEqual(other.pids.filter(isAlive), other.pids);
  });

  test('nothing is looked for after a process that stopped its servers, but after one that was killed', async () => {
    const home = homeNamed('noted');
    mkdirSync(join(home, 'run'));
    const left = await startOwner(home, STUBBORN);
    await killWithGuard(left.owner);

    await createLeftovers({ home }).sweep();
    const afterStop = left.pids.filter(isAlive);
    createLeftovers({ home }).expect();
    await createLeftovers({ home }).sweep();
    const afterKill = left.pids.filter(isAlive);

    assert.deepEqual(afterStop, left.pids);
    assert.deepEqual(afterKill, []);
  });

  test('what was noted is removed when all servers have ended', async () => {
    const home = homeNamed('ended');
    mkdirSync(join(home, 'run'));
    const leftovers = createLeftovers({ home });

    leftovers.expect();
    const noted = readdirSync(join(home, 'run'));
    leftovers.none();

    assert.deepEqual(noted, ['servers-running']);
    assert.deepEqual(readdirSync(join(home, 'run')), []);
  });

  test('a home without leftovers is clean', async () => {
    assert.ok(await sweepServers(homeNamed('new')));
  });
});

async function killWithGuard(owner: ChildProcess): Promise<void> {
  process.kill(await guardOf(owner.pid ?? 0), 'SIGKILL');
  await kill(owner);
}

/** Children of this process that lead a group. */
async function childGroups(): Promise<number[]> {
  const leaders = (await listProcesses()).filter(({ pid, group, isZombie }) => pid === group && !isZombie);
  return leaders.filter(({ parent }) => parent === process.pid).map(({ pid }) => pid);
}
