import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { isAlive, until } from '../support/mcp/shim-program.ts';
import { faultyServer, linesIn, startServerHome } from '../support/servers/server-home.ts';

const home = await startServerHome(after, { configuration: { servers: { stop_timeout_ms: 2_000 } } });
await home.run(faultyServer('first', { dir: home.dir('first') }));

describe('other MCP servers, over every door', () => {
  const pidOf = async (id: string) => Number((await home.status(id)).pid);

  test('HOST-01 every operation of the service is there over REST', async () => {
    const created = await home.run(faultyServer('Whole Life'));
    const listed = await home.rest('GET', '/servers');
    const got = await home.rest('GET', '/servers/whole-life');
    const status = await home.rest('GET', '/servers/whole-life/status');
    const tools = await home.rest('GET', '/tools');
    const provider = await home.rest('GET', '/tools/whole-life__echo/provider');
    const called = await home.call('whole-life', 'echo', { text: 'hi' });
    const stopped = await home.rest('POST', '/servers/whole-life/stop');
    const started = await home.rest('POST', '/servers/whole-life/start');
    const restarted = await home.rest('POST', '/servers/whole-life/restart');
    const updated = await home.rest('PUT', '/servers/whole-life', { config: { depth: 2 } });
    const deleted = await home.rest('DELETE', '/servers/whole-life');
    const gone = await home.rest('GET', '/servers/whole-life');

    assert.partialDeepStrictEqual(created, { id: 'whole-life', name: 'Whole Life', enabled: true });
    assert.deepEqual(
      (listed.body.servers as JsonObject[]).map(({ id }) => id),
      ['first', 'whole-life'],
    );
    assert.partialDeepStrictEqual(got.body, { id: 'whole-life', status: { state: 'running' } });
    assert.partialDeepStrictEqual(status.body, { state: 'running' });
    assert.ok((tools.body.tools as JsonObject[]).some(({ offered_as: name }) => name === 'whole-life__echo'));
    assert.partialDeepStrictEqual(provider.body, { id: 'whole-life', tool: 'echo' });
    assert.partialDeepStrictEqual(called.body, { text: 'hi', is_error: false });
    assert.partialDeepStrictEqual(stopped.body, { status: { state: 'stopped' } });
    assert.partialDeepStrictEqual(started.body, { status: { state: 'running' } });
    assert.partialDeepStrictEqual(restarted.body, { status: { state: 'running' } });
    assert.partialDeepStrictEqual(updated.body, { config: { depth: 2 } });
    assert.deepEqual([deleted.status, gone.status, gone.body.error?.code], [200, 404, 'NOT_FOUND']);
  });

  test('HOST-01 every operation of the service is a tool for a principal that may manage servers', async () => {
    const manager = await home.tools();

    await manager.call('servers_create', faultyServer('Of Tools'));
    await home.reached('of-tools', 'running');
    const { servers } = await manager.call('servers_list');
    const got = await manager.call('servers_get', { id: 'of-tools' });
    const status = await manager.call('servers_status', { id: 'of-tools' });
    const { tools } = await manager.call('servers_tools', { id: 'of-tools' });
    const provider = await manager.call('servers_find_provider', { tool: 'of-tools__pid' });
    const called = await manager.call('servers_call', { id: 'of-tools', tool: 'echo', arguments: { text: 'hi' } });
    const changed = await manager.call('servers_update', { id: 'of-tools', call_timeout_ms: 5_000 });
    const disabled = await manager.call('servers_disable', { id: 'of-tools' });
    const enabled = await manager.call('servers_enable', { id: 'of-tools' });
    await manager.call('servers_stop', { id: 'of-tools' });
    const started = await manager.call('servers_start', { id: 'of-tools' });
    await manager.call('servers_delete', { id: 'of-tools' });
    const refused = await manager.refusal('servers_get', { id: 'of-tools' });

    assert.equal((servers as JsonObject[]).length, 2);
    assert.partialDeepStrictEqual(got, { id: 'of-tools' });
    assert.partialDeepStrictEqual(status, { state: 'running' });
    assert.ok((tools as JsonObject[]).some(({ name }) => name === 'pid'));
    assert.partialDeepStrictEqual(provider, { id: 'of-tools', tool: 'pid' });
    assert.equal(called.text, 'hi');
    assert.equal(changed.call_timeout_ms, 5_000);
    assert.partialDeepStrictEqual(disabled, { enabled: false, status: { state: 'disabled' } });
    assert.partialDeepStrictEqual(enabled, { enabled: true, status: { state: 'running' } });
    assert.partialDeepStrictEqual(started, { status: { state: 'running' } });
    assert.equal(refused.code, 'NOT_FOUND');
  });

  test('HOST-01 every operation of the service is a command', async () => {
    const { args = [] } = faultyServer('by-hand') as { args?: string[] };
    const steps: JsonObject[] = [];
    for (const step of [
      ['add', 'By Hand', '--binary', process.execPath, '--', ...args],
      ['stop', 'by-hand'],
      ['start', 'by-hand'],
      ['restart', 'by-hand'],
      ['disable', 'by-hand'],
      ['enable', 'by-hand'],
      ['status', 'by-hand'],
      ['show', 'by-hand'],
      ['tools', 'by-hand'],
      ['provider', 'by-hand__echo'],
      ['call', 'by-hand', 'echo', '--args', '{"text":"typed"}'],
      ['remove', 'by-hand'],
      ['list'],
    ]) {
      const at = step.indexOf('--');
      const [before, rest] = at === -1 ? [step, []] : [step.slice(0, at), step.slice(at)];
      const { code, stdout, stderr } = await home.command('servers', ...before, '--json', ...rest);
      assert.equal(code, 0, `${step}: ${stderr}`);
      steps.push(JSON.parse(stdout) as JsonObject);
    }

    assert.deepEqual(
      steps.slice(1, 6).map(({ status }) => (status as JsonObject).state),
      ['stopped', 'running', 'running', 'disabled', 'running'],
    );
    assert.equal(steps[6]?.state, 'running');
    assert.equal(steps[9]?.id, 'by-hand');
    assert.equal(steps[10]?.text, 'typed');
    assert.partialDeepStrictEqual(steps[12]?.servers, [{ id: 'first' }]);
    assert.doesNotMatch(JSON.stringify(steps[12]), /by-hand/);
  });

  test('HOST-02 HOST-04 MC-T1 MC-T3 MC-T9 the status is the state of the process, with its tools', async () => {
    const created = await home.add(faultyServer('states'));
    const running = await home.reached('states', 'running');
    const pid = Number(running.pid);
    const wasAlive = isAlive(pid);
    const stopped = await home.rest('POST', '/servers/states/stop');
    const isGone = !isAlive(pid);
    const disabled = await home.rest('POST', '/servers/states/disable');
    await home.rest('DELETE', '/servers/states');
    await home.add({ ...faultyServer('broken'), args: ['-e', 'process.exit(7)'] });
    const broken = await home.reached('broken', 'error');
    await home.rest('DELETE', '/servers/broken');

    assert.equal(created.status.state, 'starting');
    assert.ok((running.tools as string[]).includes('echo'));
    assert.ok(wasAlive && isGone);
    assert.deepEqual((stopped.body.status as JsonObject).state, 'stopped');
    assert.deepEqual((disabled.body.status as JsonObject).state, 'disabled');
    assert.match(String(broken.message), /^Server 'broken' ended with exit code 7\.$/);
  });

  test('HOST-03 a configuration is kept whole, with its source, package, transport, variables and free values', async () => {
    const given = {
      ...faultyServer('kept'),
      source: { type: 'official', name: 'io.example/kept', version: '1.2.3' },
      package: { type: 'npm', identifier: '@example/kept', runtime_hint: 'npx', version: '1.2.3' },
      enabled: false,
      env_vars: { PLAIN: { value: 'v', is_secret: false, description: 'A word.' } },
      config: { nested: { list: [1, 'two', null] } },
      tools: { deny: ['delete_*'] },
    };
    const created = await home.rest('POST', '/servers', given);
    const smithery = await home.rest('POST', '/servers', {
      name: 'Smith',
      enabled: false,
      source: { type: 'smithery', qualified_name: '@smith/x' },
      package: { type: 'http', identifier: 'https://server.example.test/mcp' },
      transport: { type: 'http', url: 'https://server.example.test/mcp' },
    });

    await home.stop();
    await home.start();
    const kept = await home.rest('GET', '/servers/kept');
    const remote = await home.rest('GET', '/servers/smith');
    for (const id of ['kept', 'smith']) await home.rest('DELETE', `/servers/${id}`);

    const { source, package: pack, env_vars, config, tools } = given;
    assert.equal(created.status, 200, JSON.stringify(created.body));
    assert.equal(smithery.status, 200, JSON.stringify(smithery.body));
    assert.partialDeepStrictEqual(kept.body, {
      id: 'kept',
      name: 'kept',
      source,
      package: pack,
      env_vars,
      config,
      tools,
      enabled: false,
    });
    assert.partialDeepStrictEqual(remote.body, {
      source: { type: 'smithery', qualified_name: '@smith/x' },
      transport: { type: 'http', url: 'https://server.example.test/mcp' },
    });
    await home.reached('first', 'running');
  });

  test('HOST-06 MC-T2 stop ends the process, and it stays stopped for calls and for the next daemon', async () => {
    await home.run(faultyServer('halted', { dir: home.dir('halted') }));
    const pid = await pidOf('halted');

    await home.rest('POST', '/servers/halted/stop');
    const alive = isAlive(pid);
    const called = await home.call('halted', 'echo');
    await home.stop();
    await home.start();
    const after = await home.status('halted');
    await home.rest('DELETE', '/servers/halted');

    assert.equal(alive, false);
    assert.deepEqual([called.status, called.body.error?.code], [409, 'CONFLICT']);
    assert.equal(after.state, 'stopped');
    assert.deepEqual(linesIn(home.dir('halted'), 'calls'), []);
    assert.equal(linesIn(home.dir('halted'), 'starts').length, 1);
    await home.reached('first', 'running');
  });

  test('HOST-07 MC-T4 a call goes to the server that is named, and its result comes back whole', async () => {
    await home.run(faultyServer('second', { dir: home.dir('second') }));

    const answers = await Promise.all([
      home.text('first', 'echo', { text: 'one' }),
      home.text('second', 'echo', { text: 'two' }),
    ]);
    const provider = await home.rest('GET', '/tools/echo/provider');
    const failed = await home.call('second', 'fail');
    const command = await home.command('servers', 'call', 'second', 'fail');
    await home.rest('DELETE', '/servers/second');

    assert.deepEqual(answers, ['one', 'two']);
    assert.deepEqual(provider.body, { id: 'first', tool: 'echo', others: ['second'] });
    assert.partialDeepStrictEqual(failed.body, { is_error: true, result: { isError: true } });
    assert.deepEqual([command.code, command.stdout.trim()], [1, 'it did not work']);
  });

  test('HOST-11 MC-T5 a failed server blocks no other: its tools leave the list, and it can be restarted', async () => {
    const session = await home.session();
    const names = () => home.offered(session);
    await home.run(faultyServer('fragile', { dir: home.dir('fragile') }));
    const before = await names();
    await home.rest('PUT', '/servers/fragile', { args: ['-e', 'process.exit(1)'] });
    await home.reached('fragile', 'error');

    const during = await names();
    const other = await home.text('first', 'echo', { text: 'still here' });
    const refused = await home.call('fragile', 'echo');
    const restarted = await home.rest('POST', '/servers/fragile/restart');
    await home.rest('PUT', '/servers/fragile', faultyServer('fragile'));
    await home.reached('fragile', 'running');
    const after = await names();
    await home.rest('DELETE', '/servers/fragile');

    assert.ok(before.includes('fragile__echo') && after.includes('fragile__echo'));
    assert.ok(!during.some((name) => name.startsWith('fragile__')) && during.includes('first__echo'));
    assert.equal(other, 'still here');
    assert.equal(refused.body.error?.code, 'SERVICE_UNAVAILABLE');
    assert.match(refused.body.error?.message ?? '', /'fragile'/);
    assert.equal(restarted.body.error?.code, 'SERVICE_UNAVAILABLE');
  });

  test('HOST-22 the tools of running servers are offered to our own clients, which learn of changes', async () => {
    const session = await home.session();
    const stream = await session.listen();
    await home.run(faultyServer('offered'));
    await stream.messages.notified('notifications/tools/list_changed');

    const names = await home.offered(session);
    const called = await session.call('tools/call', { name: 'offered__echo', arguments: { text: 'through' } });
    await home.rest('POST', '/servers/offered/disable');
    const gone = await session.call('tools/call', { name: 'offered__echo', arguments: {} });
    await home.rest('DELETE', '/servers/offered');
    stream.close();

    assert.ok(names.includes('offered__echo'));
    assert.partialDeepStrictEqual(called.result, { content: [{ type: 'text', text: 'through' }] });
    assert.ok(gone.error ?? gone.result?.isError);
  });

  test('a change is applied to the running process without a restart of the daemon', async () => {
    await home.run(faultyServer('changing', { env_vars: { COLOUR: 'red' } }));
    const first = { pid: await pidOf('changing'), colour: await home.text('changing', 'env', { name: 'COLOUR' }) };

    await home.rest('PUT', '/servers/changing', { env_vars: { COLOUR: 'blue' } });
    await home.reached('changing', 'running');
    const second = { pid: await pidOf('changing'), colour: await home.text('changing', 'env', { name: 'COLOUR' }) };
    await home.rest('DELETE', '/servers/changing');

    assert.deepEqual([first.colour, second.colour], ['red', 'blue']);
    assert.notEqual(first.pid, second.pid);
    await until('both have ended', () => !isAlive(first.pid) && !isAlive(second.pid));
  });

  test('HOST-21 MC-T8 shutdown stops every server, and each can be started again', async () => {
    await home.run(faultyServer('another'));
    const pids = [await pidOf('first'), await pidOf('another')];

    const { body } = await home.rest('POST', '/servers/shutdown');
    const alive = pids.filter(isAlive);
    const states = [await home.status('first'), await home.status('another')].map(({ state }) => state);
    const command = await home.command('servers', 'shutdown');
    const started = await home.rest('POST', '/servers/first/start');

    assert.deepEqual(body.stopped, ['first', 'another']);
    assert.deepEqual(alive, []);
    assert.deepEqual(states, ['stopped', 'stopped']);
    assert.equal(command.code, 0);
    assert.partialDeepStrictEqual(started.body, { status: { state: 'running' } });
  });
});
