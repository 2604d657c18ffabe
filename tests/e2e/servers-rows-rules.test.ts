import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { faultyServer, linesIn, startServerHome } from '../support/servers/server-home.ts';

const VALID = faultyServer('unused');
const home = await startServerHome(after);
await home.run(faultyServer('first', { dir: home.dir('first') }));

describe('rules of other MCP servers', () => {
  test('HOST-08 HOST-14 HOST-17 MC-NT3 what is wrong is refused with its field, over every door, and not saved', async () => {
    const manager = await home.tools();
    const { name, package: pack, transport, ...rest } = VALID;
    const wrong: [JsonObject, string, string][] = [
      [{ ...rest, package: pack, transport } as JsonObject, 'name', 'Name is required'],
      [{ ...VALID, name: '   ' }, 'name', 'Name is required'],
      [{ ...VALID, package: { type: 'npm', identifier: ' ' } }, 'package.identifier', 'Package identifier required'],
      [{ ...rest, name, transport } as JsonObject, 'package.identifier', 'Package identifier required'],
      [{ ...rest, name, package: pack } as JsonObject, 'transport', 'Transport required'],
      [
        { ...VALID, env_vars: { API_KEY: { is_secret: true, required: true } } },
        'env_vars',
        'Missing required credentials',
      ],
    ];

    for (const [input, field, message] of wrong) {
      const rested = await home.rest('POST', '/servers', input);
      const tool = await manager.refusal('servers_create', input);

      assert.equal(rested.status, 400);
      for (const error of [rested.body.error, tool]) {
        assert.partialDeepStrictEqual(error, { code: 'VALIDATION_ERROR', message, field });
      }
    }
    const nameless = await home.command('servers', 'add', ' ', '--npm', 'some-package', '--json');
    const packageless = await home.command('servers', 'add', 'x', '--npm', '', '--json');
    const { servers } = (await home.rest('GET', '/servers')).body;

    assert.equal(nameless.code, 2);
    assert.partialDeepStrictEqual(JSON.parse(nameless.stderr), {
      error: { code: 'VALIDATION_ERROR', message: 'Name is required', field: 'name' },
    });
    assert.partialDeepStrictEqual(JSON.parse(packageless.stderr), {
      error: { code: 'VALIDATION_ERROR', message: 'Package identifier required', field: 'package.identifier' },
    });
    assert.deepEqual(
      (servers as JsonObject[]).map(({ id }) => id),
      ['first'],
    );
  });

  test('HOST-15 MC-NT1 a disabled server is not started: CONFLICT, status unchanged', async () => {
    await home.add(faultyServer('off', { dir: home.dir('off'), enabled: false }));
    const manager = await home.tools();

    const answers = [
      (await home.rest('POST', '/servers/off/start')).body.error?.code,
      (await home.rest('POST', '/servers/off/restart')).body.error?.code,
      (await manager.refusal('servers_start', { id: 'off' })).code,
      (await home.call('off', 'echo')).body.error?.code,
    ];
    const command = await home.command('servers', 'start', 'off');
    const status = await home.status('off');
    await home.rest('DELETE', '/servers/off');

    assert.deepEqual(answers, ['CONFLICT', 'CONFLICT', 'CONFLICT', 'CONFLICT']);
    assert.equal(command.code, 1);
    assert.match(command.stderr, /The server is disabled/);
    assert.equal(status.state, 'disabled');
    assert.deepEqual(linesIn(home.dir('off'), 'starts'), []);
  });

  test('HOST-16 MC-NT2 a call with an unknown id, or of an unknown tool, is NOT_FOUND and executes nothing', async () => {
    const manager = await home.tools();
    const calls = linesIn(home.dir('first'), 'calls').length;

    const answers = [
      await home.call('nobody', 'echo'),
      await home.call('3f0e6c1a-5b5c-4f0e-9a54-0d8a2ffb3a11', 'echo'),
      await home.call('first', 'no_such_tool'),
    ];
    const tool = await manager.refusal('servers_call', { id: 'nobody', tool: 'echo', arguments: {} });
    const command = await home.command('servers', 'call', 'nobody', 'echo', '--json');

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.error?.code]),
      [
        [404, 'NOT_FOUND'],
        [404, 'NOT_FOUND'],
        [404, 'NOT_FOUND'],
      ],
    );
    assert.equal(tool.code, 'NOT_FOUND');
    assert.equal(JSON.parse(command.stderr).error.code, 'NOT_FOUND');
    assert.equal(linesIn(home.dir('first'), 'calls').length, calls);
  });

  test('HOST-18 MC-NT4 a variable that a registry requires blocks the save until it is given', async () => {
    const wanted = {
      ...faultyServer('required'),
      source: { type: 'official', name: 'io.example/x', version: '1' },
      env_vars: {
        API_KEY: { is_secret: true, required: true },
        REGION: { required: true, is_secret: false },
      },
    };

    const nothing = await home.rest('POST', '/servers', wanted);
    const half = await home.rest('POST', '/servers', {
      ...wanted,
      env_vars: { ...wanted.env_vars, API_KEY: { value: 'a-key-of-a-test', is_secret: true, required: true } },
    });
    const saved = await home.rest('GET', '/servers/required');
    const whole = await home.run({
      ...wanted,
      env_vars: {
        API_KEY: { value: 'a-key-of-a-test', is_secret: true, required: true },
        REGION: { value: 'eu', required: true, is_secret: false },
      },
    });
    const emptied = await home.rest('PUT', '/servers/required', {
      env_vars: { REGION: { value: '', required: true, is_secret: false } },
    });
    const key = await home.text('required', 'env', { name: 'REGION' });
    await home.rest('DELETE', '/servers/required');

    for (const { status, body } of [nothing, half, emptied]) {
      assert.equal(status, 400);
      assert.partialDeepStrictEqual(body.error, {
        code: 'VALIDATION_ERROR',
        message: 'Missing required credentials',
        field: 'env_vars',
      });
    }
    assert.match(String(half.body.error?.hint), /REGION/);
    assert.equal(saved.status, 404);
    assert.equal(whole.status.state, 'running');
    assert.equal(key, 'eu');
  });

  test('HOST-19 enabling persists and starts; where the start fails, the flag is reverted and the error returned', async () => {
    await home.add(faultyServer('toggled', { dir: home.dir('toggled'), enabled: false }));
    await home.add({ ...faultyServer('hopeless'), args: ['-e', 'process.exit(3)'], enabled: false });

    const enabled = await home.rest('POST', '/servers/toggled/enable');
    const failed = await home.rest('POST', '/servers/hopeless/enable');
    const updated = await home.rest('PUT', '/servers/hopeless', { enabled: true });
    const command = await home.command('servers', 'enable', 'hopeless');
    const seen = await home.rest('GET', '/servers/hopeless');
    await home.stop();
    await home.start();
    await home.reached('toggled', 'running');
    const later = await home.rest('GET', '/servers/hopeless');
    const disabled = await home.rest('POST', '/servers/toggled/disable');
    for (const id of ['toggled', 'hopeless']) await home.rest('DELETE', `/servers/${id}`);

    assert.partialDeepStrictEqual(enabled.body, { enabled: true, status: { state: 'running' } });
    for (const { status, body } of [failed, updated]) {
      assert.deepEqual([status, body.error?.code], [503, 'SERVICE_UNAVAILABLE']);
    }
    assert.match(failed.body.error?.message ?? '', /ended with exit code 3/);
    assert.equal(command.code, 1);
    for (const { body } of [seen, later]) {
      assert.partialDeepStrictEqual(body, { enabled: false, status: { state: 'disabled' } });
    }
    assert.partialDeepStrictEqual(disabled.body, { enabled: false, status: { state: 'disabled' } });
    await home.reached('first', 'running');
  });
});
