import assert from 'node:assert/strict';
import { delimiter, dirname } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { serverConfig } from '../../../tests/support/servers/process-config.ts';
import type { AppError } from '../../domain/errors.ts';
import type { ServerConfig, ServerPackage } from '../../domain/server-config.ts';
import { launchPlan } from './launch-plan.ts';

const SURROUNDINGS = { home: '/home/ann/.switchboard', base: { HOME: '/home/ann', PATH: '/usr/bin:/bin', LANG: 'C' } };

function planOf(pack: ServerPackage, given: Partial<ServerConfig> = {}, env: Record<string, string> = {}) {
  return launchPlan(serverConfig({ package: pack, args: ['--verbose'], ...given }), { env }, SURROUNDINGS);
}

function commandLine(pack: ServerPackage, given: Partial<ServerConfig> = {}, env: Record<string, string> = {}) {
  const { command, args } = planOf(pack, given, env);
  return [command, ...args].join(' ');
}

describe('how a package is started', () => {
  for (const [pack, expected] of [
    [{ type: 'npm', identifier: '@acme/server' }, 'npx -y @acme/server --verbose'],
    [{ type: 'npm', identifier: '@acme/server', version: '1.2.3' }, 'npx -y @acme/server@1.2.3 --verbose'],
    [{ type: 'npm', identifier: 'server@2', version: '1.2.3' }, 'npx -y server@2 --verbose'],
    [{ type: 'npm', identifier: 'github:acme/server', version: '1.2.3' }, 'npx -y github:acme/server --verbose'],
    [{ type: 'npm', identifier: 'server', runtime_args: ['--quiet'] }, 'npx -y --quiet server --verbose'],
    [{ type: 'npm', identifier: 'server', runtime_hint: 'bunx' }, 'bunx server --verbose'],
    [{ type: 'npm', identifier: 'server', runtime_hint: 'pnpm' }, 'pnpm dlx server --verbose'],
    [{ type: 'npm', identifier: 'server', runtime_hint: '/bin/sh' }, 'npx -y server --verbose'],
    [{ type: 'npm', identifier: 'server', runtime_hint: 'docker' }, 'npx -y server --verbose'],
    [{ type: 'pypi', identifier: 'acme-server' }, 'uvx acme-server --verbose'],
    [{ type: 'pypi', identifier: 'acme-server', version: '1.2.3' }, 'uvx acme-server@1.2.3 --verbose'],
    [{ type: 'pypi', identifier: 'acme-server==1.0', version: '1.2.3' }, 'uvx acme-server==1.0 --verbose'],
    [
      { type: 'pypi', identifier: 'acme-server', runtime_args: ['--from', 'acme'] },
      'uvx --from acme acme-server --verbose',
    ],
    [{ type: 'docker', identifier: 'acme/server' }, 'docker run --rm -i acme/server --verbose'],
    [{ type: 'docker', identifier: 'acme/server', version: '1.2' }, 'docker run --rm -i acme/server:1.2 --verbose'],
    [{ type: 'docker', identifier: 'acme/server:1', version: '1.2' }, 'docker run --rm -i acme/server:1 --verbose'],
    [
      { type: 'docker', identifier: 'localhost:5000/server', version: '1.2' },
      'docker run --rm -i localhost:5000/server:1.2 --verbose',
    ],
    [{ type: 'docker', identifier: 'acme/server', runtime_hint: 'podman' }, 'podman run --rm -i acme/server --verbose'],
    [
      { type: 'docker', identifier: 'acme/server', runtime_args: ['--network=none'] },
      'docker run --rm -i --network=none acme/server --verbose',
    ],
    [{ type: 'binary', identifier: '/opt/acme/server' }, '/opt/acme/server --verbose'],
    [{ type: 'binary', identifier: 'acme-server' }, 'acme-server --verbose'],
    [{ type: 'binary', identifier: '~/bin/server' }, '/home/ann/bin/server --verbose'],
  ] as const satisfies readonly [ServerPackage, string][]) {
    test(`HOST-05 ${expected}`, () => {
      assert.equal(commandLine(pack), expected);
    });
  }

  test('HOST-12 a container gets the names of its variables as arguments, and values only by the environment', () => {
    const plan = planOf({ type: 'docker', identifier: 'acme/server' }, {}, { TOKEN: 'hunter22', REGION: 'eu' });

    assert.deepEqual(plan.args, ['run', '--rm', '-i', '-e', 'TOKEN', '-e', 'REGION', 'acme/server', '--verbose']);
    assert.equal(plan.env.TOKEN, 'hunter22');
    assert.equal(plan.env.REGION, 'eu');
  });

  test('HOST-12 no value of a variable is ever an argument', () => {
    const types = fc.constantFrom('npm', 'pypi', 'docker', 'binary');
    const variables = fc.dictionary(fc.stringMatching(/^[A-Z]{1,8}$/), fc.uuid(), { minKeys: 1 });
    fc.assert(
      fc.property(types, variables, (type, env) => {
        const line = commandLine({ type, identifier: 'acme' } as ServerPackage, {}, env);

        assert.ok(Object.values(env).every((value) => !line.includes(value)));
      }),
    );
  });

  test('resolved arguments replace the configured ones', () => {
    const config = serverConfig({ package: { type: 'binary', identifier: 'server' }, args: ['--region=REGION'] });

    const plan = launchPlan(config, { env: {}, args: ['--region=eu'] }, SURROUNDINGS);

    assert.deepEqual(plan.args, ['--region=eu']);
  });
});

describe('the folder and the environment of a server', () => {
  const pack: ServerPackage = { type: 'binary', identifier: 'server' };

  test('the working directory is the configured one, or the home', () => {
    assert.equal(planOf(pack).cwd, '/home/ann/.switchboard');
    assert.equal(planOf(pack, { cwd: '~/work' }).cwd, '/home/ann/work');
    assert.equal(planOf(pack, { cwd: '/srv' }).cwd, '/srv');
  });

  test('a relative program is in the working directory', () => {
    assert.equal(planOf({ type: 'binary', identifier: './bin/server' }, { cwd: '/srv' }).command, '/srv/bin/server');
  });

  test('PATH has the own entries first, no relative ones, then those of Node and of package managers', () => {
    const base = { HOME: '/home/ann', PATH: '.:node_modules/.bin:/own/bin:/usr/bin' };

    const plan = launchPlan(serverConfig({ package: pack }), { env: {} }, { home: '/h', base });

    const entries = plan.env.PATH?.split(delimiter) ?? [];
    assert.deepEqual(entries.slice(0, 2), ['/own/bin', '/usr/bin']);
    assert.ok(entries.includes(dirname(process.execPath)));
    for (const usual of ['/usr/local/bin', '/opt/homebrew/bin', '/home/ann/.local/bin', '/home/ann/.cargo/bin']) {
      assert.ok(entries.includes(usual), usual);
    }
    assert.ok(entries.every((entry) => entry.startsWith('/')));
    assert.equal(new Set(entries).size, entries.length);
  });

  test('HOST-12 configured variables take precedence over those of the daemon', () => {
    const { env } = planOf(pack, {}, { LANG: 'de_DE.UTF-8', TOKEN: 'hunter22' });

    assert.equal(env.LANG, 'de_DE.UTF-8');
    assert.equal(env.TOKEN, 'hunter22');
    assert.equal(env.HOME, '/home/ann');
  });
});

describe('what cannot be started is refused', () => {
  for (const [what, pack, given, env, field] of [
    ['an empty identifier', { type: 'npm', identifier: ' ' }, {}, {}, 'package.identifier'],
    ['an identifier that is an option', { type: 'npm', identifier: '--call=x' }, {}, {}, 'package.identifier'],
    ['an image that is an option', { type: 'docker', identifier: '--privileged' }, {}, {}, 'package.identifier'],
    ['a relative program without a folder', { type: 'binary', identifier: './server' }, {}, {}, 'package.identifier'],
    ['a relative folder', { type: 'binary', identifier: 'server' }, { cwd: 'work' }, {}, 'cwd'],
    ['a variable that is an option', { type: 'docker', identifier: 'a' }, {}, { '-v': 'x' }, 'env_vars'],
    ['a variable with a value in its name', { type: 'docker', identifier: 'a' }, {}, { 'A=B': 'x' }, 'env_vars'],
  ] as const satisfies readonly [string, ServerPackage, Partial<ServerConfig>, Record<string, string>, string][]) {
    test(`HOST-14 ${what}`, () => {
      assert.throws(
        () => planOf(pack, given, env),
        (error: AppError) => error.code === 'VALIDATION_ERROR' && error.field === field,
      );
    });
  }
});
