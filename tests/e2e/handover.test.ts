import assert from 'node:assert/strict';
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { daemonStatus, isAlive, processesOf, removeHome, startShim, until } from '../support/mcp/shim-program.ts';
import { programPath, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const STATUS = { name: 'switchboard_status', arguments: {} };
let homes = 0;

function freshHome(context: TestContext): string {
  const home = join(folder, `h${++homes}`);
  context.after(() => removeHome(home));
  return home;
}

describe('the home is handed over from a daemon to serve and back', () => {
  test('the client stays connected, and no call is lost', async (context) => {
    const home = freshHome(context);
    const shim = startShim({ home });
    await shim.initialize();
    const auto = await daemonStatus(home);
    const calls = Array.from({ length: 40 }, () => shim.call('tools/call', STATUS));

    const server = await startHttp({ home });
    const during = await Promise.all(calls);
    const afterwards = await shim.call('tools/call', STATUS);
    const serving = await daemonStatus(home);
    const ended = await server.stop();
    const back = await shim.call('tools/call', STATUS);
    const again = await daemonStatus(home);

    assert.ok([...during, afterwards, back].every(({ result }) => result && !result.isError));
    assert.deepEqual([serving.kind, serving.url, serving.clients], ['serve', server.base, 1]);
    assert.equal(ended.code, 0);
    assert.equal(again.kind, 'auto');
    // A process releases the home before it exits.
    await until('the first daemon has exited', () => !isAlive(auto.pid));
    assert.deepEqual(new Set(processesOf(home)), new Set([shim.pid, again.pid]));
    assert.equal((await shim.stop()).code, 0);
  });

  test('a second serve is refused, and the error names the owner', async (context) => {
    const home = freshHome(context);
    const server = await startHttp({ home });

    const { port } = new URL(server.base);
    const { code, stderr } = await runProgram(['serve', '--port', port], { home });
    const stop = await runProgram(['daemon', 'stop'], { home });

    assert.equal(code, 1);
    assert.match(stderr, /switchboard serve \(process \d+\) owns/);
    assert.equal(stop.code, 1);
    assert.equal((await daemonStatus(home)).kind, 'serve');
    await server.stop();
  });

  test('serve that cannot listen does not affect the daemon and its clients', async (context) => {
    const home = freshHome(context);
    const shim = startShim({ home });
    await shim.initialize();
    const { pid } = await daemonStatus(home);
    const taken = createServer().listen(0, '127.0.0.1');
    context.after(() => taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };

    const { code, stderr } = await runProgram(['serve', '--port', String(port)], { home });
    const { result } = await shim.call('tools/call', STATUS);

    assert.equal(code, 1);
    assert.match(stderr, /in use by another program/);
    assert.ok(result);
    assert.partialDeepStrictEqual(await daemonStatus(home), { kind: 'auto', pid, clients: 1 });
    await shim.stop();
  });

  test('an embedded process attaches to the owner, and owns the home after the owner exits', async (context) => {
    const home = freshHome(context);
    const server = await startHttp({ home });
    const shim = startShim({ home }, ['--embedded']);
    await shim.initialize();

    const attached = await daemonStatus(home);
    await server.stop();
    const { result } = await shim.call('tools/call', STATUS);
    const owning = await daemonStatus(home);

    assert.deepEqual([attached.kind, attached.clients], ['serve', 1]);
    assert.ok(result);
    assert.deepEqual([owning.kind, owning.pid], ['embedded', shim.pid]);
    assert.deepEqual(processesOf(home), [shim.pid]);
    await shim.stop();
  });
});

describe('two versions at the same time', () => {
  test('a newer version replaces the daemon, an older one uses it', async (context) => {
    const home = freshHome(context);
    const newer = copyOfProgram('99.0.0');
    const old = startShim({ home });
    await old.initialize();
    const before = await daemonStatus(home);

    const young = startShim({ home, program: newer });
    await young.initialize();
    const replaced = await daemonStatus(home);
    const older = startShim({ home });
    await older.initialize();
    const answers = await Promise.all([old, young, older].map((shim) => shim.call('tools/call', STATUS)));

    assert.notEqual(replaced.pid, before.pid);
    assert.equal(replaced.version, '99.0.0');
    assert.ok(answers.every(({ result }) => result && !result.isError));
    await until('all three are attached', async () => (await daemonStatus(home)).clients === 3);
    assert.equal((await daemonStatus(home)).pid, replaced.pid);
    await Promise.all([old, young, older].map((shim) => shim.stop()));
  });
});

/** A copy of the program that reports another version. */
function copyOfProgram(version: string): string {
  const dist = dirname(programPath);
  const copy = join(folder, `dist-${version}`);
  cpSync(dist, copy, { recursive: true });
  symlinkSync(join(dist, '..', 'node_modules'), join(folder, 'node_modules'));
  cpSync(join(dist, '..', 'package.json'), join(folder, 'package.json'));
  const { version: current } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  for (const name of globSync('*.js', { cwd: copy })) {
    const file = join(copy, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`return"${current}"`, `return"${version}"`));
  }
  return join(copy, 'cli.js');
}
