import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, type TestContext, test } from 'node:test';
import { daemonAddress } from '../../src/lib/daemon-address.ts';
import { NEEDS_ROOT, OTHER_USER } from '../support/other-user.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);

/** A home whose path is too long for a socket, so that its socket is in /tmp. */
function longHome(context: TestContext, name: string) {
  const home = join(folder, name.padEnd(120, 'x'));
  const place = dirname(daemonAddress(home));
  context.after(() => rmSync(place, { recursive: true, force: true }));
  return { home, place };
}

/** A daemon of another user, which records what it gets; its socket is at the path where ours is expected. */
async function trap(context: TestContext, prepare: string, place: string) {
  const elsewhere = `${place}-elsewhere`;
  const script = `
    const fs = require('node:fs');
    const [place, elsewhere] = ${JSON.stringify([place, elsewhere])};
    process.umask(0);
    ${prepare}
    let got = '';
    require('node:net')
      .createServer((socket) => socket.on('error', () => {}).on('data', (chunk) => {
        got += chunk;
        socket.write(JSON.stringify({ v: 1, version: '99.0.0', pid: 1, kind: 'auto', uptime_ms: 1, clients: 0 }) + '\\n');
      }))
      .listen(place + '/daemon.sock', () => console.log('ready'));
    process.stdin.on('end', () => { console.log(JSON.stringify({ got })); process.exit(); }).resume();`;
  const child = spawn(process.execPath, ['-e', script], {
    uid: OTHER_USER,
    gid: OTHER_USER,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  context.after(() => {
    child.kill();
    rmSync(elsewhere, { recursive: true, force: true });
  });
  const output = text(child.stdout);
  await once(child.stdout, 'data');
  return {
    /** What was sent to it. */
    async got(): Promise<string> {
      child.stdin.end();
      return (JSON.parse((await output).split('\n').at(-2) ?? '') as { got: string }).got;
    },
  };
}

describe('a socket in /tmp that another user made', NEEDS_ROOT, () => {
  const TRAPS = {
    'in a folder of its own': 'fs.mkdirSync(place, { mode: 0o755 });',
    'behind a link': 'fs.mkdirSync(elsewhere, { mode: 0o755 }); fs.symlinkSync(elsewhere, place);',
  };
  for (const [how, prepare] of Object.entries(TRAPS)) {
    test(`${how} gets nothing, and the error says what to do`, async (context) => {
      const { home, place } = longHome(context, how.replaceAll(' ', '-'));
      const other = await trap(context, prepare, place);

      const status = await runProgram(['daemon', 'status', '--json'], { home });
      const command = await runProgram(['sessions', 'list'], { home });
      const shim = await runProgram(['mcp'], { home, stdin: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' });

      assert.deepEqual(JSON.parse(status.stdout), { running: false });
      for (const { code, stderr } of [command, shim]) {
        assert.equal(code, 1);
        assert.match(stderr, /switchboard-0-[0-9a-f]{16} for the socket is not this user's alone/);
      }
      assert.equal(await other.got(), '');
    });
  }

  test('in a folder of ours that all users can write to gets nothing', async (context) => {
    const { home, place } = longHome(context, 'writable');
    mkdirSync(place);
    chmodSync(place, 0o777);
    const other = await trap(context, '', place);

    const command = await runProgram(['sessions', 'list'], { home });

    assert.equal(command.code, 1);
    assert.match(command.stderr, /is not this user's alone/);
    assert.equal(await other.got(), '');
  });
});

test('the socket of a home with a long path is in a folder of its own, which ends with the daemon', async (context) => {
  const { home, place } = longHome(context, 'own');

  const listed = await runProgram(['sessions', 'list'], { home });
  const { mode } = statSync(place);
  const stopped = await runProgram(['daemon', 'stop', '--json'], { home });

  assert.equal(listed.code, 0, listed.stderr);
  assert.equal(mode & 0o777, 0o700);
  assert.equal((JSON.parse(stopped.stdout) as { stopped: boolean }).stopped, true);
  assert.equal(existsSync(place), false, readFileSync(join(home, 'logs', 'daemon.log'), 'utf8'));
});
