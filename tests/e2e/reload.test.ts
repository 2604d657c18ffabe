import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { openSession } from '../support/mcp/rpc-http.ts';
import { removeHome, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
let homes = 0;

async function serve(context: TestContext, yaml?: string) {
  const home = join(folder, `h${++homes}`);
  mkdirSync(home, { recursive: true });
  const path = join(home, 'config.yaml');
  if (yaml !== undefined) writeFileSync(path, yaml);
  const server = await startHttp({ home });
  context.after(async () => {
    await server.stop();
    removeHome(home);
  });
  const said = (words: string) => until(words, () => server.log.some((line) => line.includes(words)));
  return { ...server, home, path, said };
}

const auth = (token: string, scopes: string) => `
auth:
  tokens: [{ name: ci, token_hash: ${createHash('sha256').update(token).digest('hex')}, scopes: [${scopes}] }]
`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('a configuration file that changes while the program runs', () => {
  test('tokens: a removed one is refused, a new one accepted, and a session has the current scopes of its token', async (context) => {
    const { url, base, path, said } = await serve(context, auth('one', '"system:read"'));
    const status = (token: string) => fetch(`${base}/api/v1/status`, { headers: bearer(token) });
    const session = await openSession(url, bearer('one'));
    const before = await session.call('tools/list');

    writeFileSync(`${path}.new`, auth('one', ''));
    renameSync(`${path}.new`, path);
    await said('is in force');
    const afterwards = await session.call('tools/list');
    writeFileSync(path, auth('another', '"system:read"'));
    await until('the new token is accepted', async () => (await status('another')).ok);

    assert.notDeepEqual(before.result?.tools, []);
    assert.deepEqual(afterwards.result?.tools, []);
    assert.equal((await status('one')).status, 401);
  });

  test('a file that is created later is used, and live settings change', async (context) => {
    const { base, path, log, said } = await serve(context);

    writeFileSync(path, 'telemetry: { metrics: false }\nlogging: { level: debug }\n');
    await said('is in force');
    const metrics = await fetch(`${base}/metrics`);

    assert.equal(metrics.status, 404);
    assert.match(log.join('\n'), /"keys":\["logging.level","telemetry.metrics"\]/);
  });

  test('while a file is invalid, every command and the status say that the former one is in force, and why', async (context) => {
    const { path, home, said } = await serve(context, 'telemetry: { metrics: true }\n');

    writeFileSync(path, 'telemetry:\n  metrics: perhaps\n');
    await said('not used');
    const [command, status] = [await runProgram(['chat', 'sources'], { home }), await runProgram(['status'], { home })];
    const [local, daemon] = [
      await runProgram(['config', 'path'], { home }),
      await runProgram(['daemon', 'status'], { home }),
    ];
    writeFileSync(path, 'telemetry: { metrics: false }\n');
    await said('is in force');
    const afterwards = await runProgram(['status'], { home });

    const reason = /former .*in force.*telemetry\.metrics \(.*config\.yaml:2:\d+\)/;
    assert.equal(command.code, 0);
    assert.match(command.stderr, reason);
    assert.equal(command.stderr.trim().split('\n').length, 1, command.stderr);
    assert.match(status.stdout, reason);
    assert.match(local.stderr, reason, 'a command that needs no daemon');
    assert.equal(local.stdout, `${path}\n`);
    assert.match(daemon.stdout, reason);
    assert.equal(daemon.stderr, '');
    assert.doesNotMatch(`${afterwards.stdout}${afterwards.stderr}`, /former/);
  });

  test('without a daemon, commands that need none say that the configuration is not valid, and why', async (context) => {
    const home = join(folder, `h${++homes}`);
    mkdirSync(home, { recursive: true });
    context.after(() => removeHome(home));
    writeFileSync(join(home, 'config.yaml'), 'telemetry:\n  metrics: perhaps\n');

    const said = [
      await runProgram(['daemon', 'status'], { home }),
      await runProgram(['config', 'path'], { home }),
      await runProgram(['secret', 'list'], { home }),
    ];

    for (const { code, stderr } of said) {
      assert.equal(code, 0, stderr);
      assert.match(stderr, /^switchboard: no daemon can start .*telemetry\.metrics \(.*config\.yaml:2:\d+\).*\n$/);
    }
  });

  test('an invalid file is logged once with key and line, and the previous configuration stays in force', async (context) => {
    const { base, path, log, said } = await serve(context, 'telemetry: { metrics: true }\n');

    writeFileSync(path, 'telemetry:\n  metrics: perhaps\n');
    await said('not used');
    const metrics = await fetch(`${base}/metrics`);
    writeFileSync(path, 'telemetry: { metrics: false }\n');
    await said('is in force');

    const warnings = log.filter((line) => line.includes('"level":"warn"'));
    assert.equal(metrics.status, 200);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /telemetry\.metrics \(\S+config\.yaml:2:\d+\): must be true or false/);
  });

  test('a changed setting that applies only after a restart is logged as such', async (context) => {
    const { path, log, said } = await serve(context, 'daemon: { idle_exit_ms: 1000 }\n');

    writeFileSync(path, 'daemon: { idle_exit_ms: 2000 }\n');
    await said('only when Switchboard starts again');

    assert.match(log.join('\n'), /"keys":\["daemon.idle_exit_ms"\]/);
    assert.ok(!log.some((line) => line.includes('is in force')));
  });
});
