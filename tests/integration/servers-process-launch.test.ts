import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { ServerConfig } from '../../src/domain/server-config.ts';
import { createGuard } from '../../src/servers/process/guard.ts';
import { launch } from '../../src/servers/process/launch.ts';
import { launchPlan } from '../../src/servers/process/launch-plan.ts';
import type { LaunchPlan } from '../../src/servers/process/server-process.ts';
import { startProblem } from '../../src/servers/process/start-problem.ts';
import { isAlive } from '../support/mcp/shim-program.ts';
import { recordingPrograms } from '../support/recording-program.ts';
import { serverConfig } from '../support/servers/process-config.ts';
import { firstLine, linesOf, nodePlan, quietOutput } from '../support/servers/process-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SECRET = 'hunter22-hunter22';

const folder = temporaryFolder(after);
const guard = createGuard({ home: folder });
after(() => guard.close());

function start(plan: LaunchPlan, stopTimeoutMs?: number) {
  const output = quietOutput();
  const server = launch(plan, { output, guard, ...(stopTimeoutMs === undefined ? {} : { stopTimeoutMs }) });
  after(() => server.stop());
  return { server, output };
}

/** Programs in a folder that is first in PATH. */
function programFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

function planOf(config: ServerConfig, path: string): LaunchPlan {
  const base = { HOME: folder, PATH: `${path}:/usr/bin:/bin` };
  return launchPlan(config, { env: { API_KEY: SECRET } }, { home: folder, base });
}

describe('launching a server', () => {
  test('a program that exits at once leaves its exit code and all of its stderr', async () => {
    const { server, output } = start(nodePlan(folder, 'failing'));

    const exit = await server.exited;

    assert.deepEqual(exit, { code: 3, signal: null });
    assert.equal(output.tail(1_000), 'starting\nfatal: GITHUB_TOKEN is not set');
    assert.equal(output.lines().at(-1)?.text, 'The process exited with code 3.');
  });

  test('input for a process that has exited is no error of ours', async () => {
    const { server } = start(nodePlan(folder, 'failing'));
    await server.exited;

    server.stdin.write('{}\n');
    await server.stop();

    assert.ok(server.stdin.destroyed);
  });

  for (const [what, change, syscall] of [
    ['program', { command: 'switchboard-no-such-program' }, 'spawn switchboard-no-such-program'],
    ['folder', { cwd: '/switchboard/no/such/folder' }, 'chdir'],
  ] as const) {
    test(`a missing ${what} is an exit with an error`, async () => {
      const { server } = start({ ...nodePlan(folder, 'failing'), ...change });

      const { error } = await server.exited;
      server.stdin.write('x');
      await server.stop();

      assert.equal(server.pid, undefined);
      assert.equal(error?.code, 'ENOENT');
      assert.equal(error?.syscall, syscall);
    });
  }

  test('arguments that cannot be passed are an exit with an error', async () => {
    const { server } = start({ ...nodePlan(folder, 'failing'), args: ['a\0b'] });
    const { server: large } = start({ ...nodePlan(folder, 'failing'), args: ['x'.repeat(4 * 1024 * 1024)] });

    const exits = await Promise.all([server.exited, large.exited]);

    assert.deepEqual(
      exits.map(({ error }) => error?.code),
      ['ERR_INVALID_ARG_VALUE', 'E2BIG'],
    );
  });

  for (const [what, args] of [
    ['without newlines', []],
    ['of short lines', ['lines']],
  ] as const) {
    test(`a server that floods stderr ${what} still answers, and its output stays bounded`, async () => {
      const { server, output } = start(nodePlan(folder, 'flood', args));
      const nextLine = linesOf(server.stdout);
      await nextLine();
      const listener = Promise.withResolvers<void>();
      if (args.length > 0) output.listen(listener.resolve);
      else listener.resolve();

      for (let round = 0; round < 20; round += 1) {
        server.stdin.write(`${round}\n`);
        assert.equal(await nextLine(), String(round));
      }
      await listener.promise;
      await server.stop();

      assert.ok(output.lines().length <= 1_000);
      assert.ok(output.tail(1_000_000).length <= 64 * 1024);
      assert.equal(isAlive(server.pid ?? 0), false);
    });
  }
});

describe('runtimes of packages', () => {
  for (const [name, pack, expected] of [
    ['npx', { type: 'npm', identifier: '@acme/server', version: '1.2.3' }, 'npx -y @acme/server@1.2.3 --verbose'],
    ['uvx', { type: 'pypi', identifier: 'acme-server', version: '1.2.3' }, 'uvx acme-server@1.2.3 --verbose'],
  ] as const) {
    test(`HOST-05 ${name} gets the package and its arguments, and no secret`, async () => {
      const programs = recordingPrograms(programFolder(name), [name]);
      const { server } = start(planOf(serverConfig({ package: pack, args: ['--verbose'] }), programs.path));

      await server.exited;

      assert.deepEqual(programs.calls(), [expected]);
    });
  }

  test('HOST-05, HOST-12 docker gets names of variables as arguments and their values in its environment', async () => {
    const path = programFolder('docker');
    program(path, 'docker', 'echo "$*"; echo "$API_KEY"');
    const config = serverConfig({ package: { type: 'docker', identifier: 'acme/server' }, args: ['--verbose'] });
    const { server } = start(planOf(config, path));

    const chunks = await server.stdout.toArray();

    const [args = '', value] = Buffer.concat(chunks).toString().split('\n');
    assert.match(args, /^run --rm -i --name=switchboard-[0-9a-f.]+ -e API_KEY acme\/server --verbose$/);
    assert.equal(value, SECRET);
  });

  test('HOST-06 a container whose client had to be killed is removed', async () => {
    const path = programFolder('killed-docker');
    const calls = join(path, 'calls.txt');
    program(
      path,
      'docker',
      `echo "$*" >> '${calls}'\ncase $1 in run) trap '' TERM; echo ready; while :; do sleep 1; done;; esac`,
    );
    const config = serverConfig({ package: { type: 'docker', identifier: 'acme/server' } });
    const { server } = start(planOf(config, path), 1_500);
    await firstLine(server.stdout);

    await server.stop();

    const [run = '', remove] = readFileSync(calls, 'utf8').split('\n');
    assert.equal(remove, `rm --force ${/--name=(\S+)/.exec(run)?.[1]}`);
  });

  test('HOST-09 docker that is not running, and a missing runtime, are reported as such', async () => {
    const path = programFolder('docker-down');
    program(
      path,
      'docker',
      'echo "docker: Cannot connect to the Docker daemon at unix:///x.sock. Is it running?" >&2; exit 125',
    );
    const docker = serverConfig({ package: { type: 'docker', identifier: 'acme/server' } });
    const { server, output } = start(planOf(docker, path));
    const pypi = serverConfig({ package: { type: 'pypi', identifier: 'acme-server' } });
    const { server: missing } = start({ ...planOf(pypi, path), env: { PATH: path } });

    const [down, noProgram] = await Promise.all([server.exited, missing.exited]);

    assert.equal(startProblem(docker, down, output.tail(4_000))?.message, 'Docker not running');
    assert.equal(startProblem(pypi, noProgram, '')?.message, 'The program uvx was not found in PATH');
  });
});

function program(path: string, name: string, script: string): void {
  writeFileSync(join(path, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(path, name), 0o755);
}
