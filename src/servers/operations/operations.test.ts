import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { contextWith, personWith } from '../../../tests/support/operation-context.ts';
import { openFakeServers } from '../../../tests/support/servers/fake-servers.ts';
import { addServer } from './add-server.ts';
import { callTool } from './call-tool.ts';
import { changeServer } from './change-server.ts';
import { createServer } from './create-server.ts';
import { findProvider } from './find-provider.ts';
import { getServer } from './get-server.ts';
import { getStatus } from './get-status.ts';
import { disableServer, enableServer, restartServer, startServer, stopServer } from './lifecycle.ts';
import { listServers } from './list-servers.ts';
import { listTools } from './list-tools.ts';
import { removeServer } from './remove-server.ts';
import { reviewServer } from './review-server.ts';
import { serverLogs } from './server-logs.ts';
import { setServerSecret } from './set-server-secret.ts';
import { shutdownServers } from './shutdown-servers.ts';
import { updateServer } from './update-server.ts';

const FILES = {
  name: 'Files',
  package: { type: 'npm' as const, identifier: 'files' },
  transport: 'stdio' as const,
  start: 'lazy' as const,
};

async function open(test: TestContext) {
  const opened = await openFakeServers();
  test.after(opened.close);
  const person = personWith(opened.context);
  await createServer.run(FILES, person);
  return { ...opened, person, agent: contextWith(opened.context) };
}

describe('operations of servers', () => {
  test('HOST-01 HOST-02 start, stop, disable and enable say the state they lead to', async (t) => {
    const { person } = await open(t);
    const steps = [startServer, stopServer, restartServer, disableServer, enableServer];

    const states: string[] = [];
    for (const step of steps) states.push((await step.run({ id: 'files' }, person)).status.state);
    const status = await getStatus.run({ id: 'Files' }, person);

    assert.deepEqual(states, ['running', 'stopped', 'running', 'disabled', 'running']);
    assert.partialDeepStrictEqual(status, { state: 'running', pid: 7, tools: ['echo', 'fail'] });
    assert.match(getStatus.render?.(status) ?? '', /^running, 2 tools$/);
  });

  test('HOST-19 enabling a server that does not start is undone', async (t) => {
    const { person } = await open(t);
    await createServer.run({ ...FILES, name: 'Broken', enabled: false }, person);

    await assert.rejects(enableServer.run({ id: 'broken' }, person), {
      code: 'SERVICE_UNAVAILABLE',
      upstream: { stderr_tail: 'last words' },
    });

    const { enabled, status } = await getServer.run({ id: 'broken' }, person);
    assert.deepEqual([enabled, status.state], [false, 'disabled']);
  });

  test('HOST-16 an unknown server or tool is not found, and nothing is executed', async (t) => {
    const { person, calls } = await open(t);

    for (const [id, tool] of [
      ['nobody', 'echo'],
      ['files', 'nothing'],
    ] as const) {
      await assert.rejects(callTool.run({ id, tool, arguments: {} }, person), { code: 'NOT_FOUND' });
    }

    assert.deepEqual(calls, []);
  });

  test('HOST-07 a call gives the result, its text, and whether it failed', async (t) => {
    const { person } = await open(t);

    const good = await callTool.run({ id: 'files', tool: 'echo', arguments: { a: 1 } }, person);
    const bad = await callTool.run({ id: 'files', tool: 'fail', arguments: {} }, person);

    assert.partialDeepStrictEqual(good, { text: '{"a":1}', is_error: false });
    assert.equal(bad.is_error, true);
    assert.partialDeepStrictEqual(good.result, {
      _meta: { 'switchboard/server': 'files', 'switchboard/untrusted': true },
    });
  });

  test('a denied tool is not listed, found or called, also before the server was first started', async (t) => {
    const { person, calls } = await open(t);
    await updateServer.run({ id: 'files', tools: { deny: ['fail'] } }, person);

    await assert.rejects(callTool.run({ id: 'files', tool: 'fail', arguments: {} }, person), { code: 'NOT_FOUND' });
    const { tools } = await listTools.run({}, person);
    const found = await findProvider.run({ tool: 'files__echo' }, person);

    await assert.rejects(findProvider.run({ tool: 'fail' }, person), { code: 'NOT_FOUND' });
    assert.deepEqual(
      tools.map(({ offered_as: name }) => name),
      ['files__echo'],
    );
    assert.deepEqual(found, { id: 'files', tool: 'echo', others: [] });
    assert.deepEqual(calls, []);
  });

  test('HOST-12 HOST-13 secrets are stored apart, shown by name, and removed with their server', async (t) => {
    const { person, groups } = await open(t);
    await setServerSecret.run({ id: 'files', key: 'API_KEY', value: 'hidden' }, person);
    await updateServer.run({ id: 'files', env_vars: { API_KEY: { is_secret: true }, TOKEN: 'hidden, too' } }, person);

    const shown = await getServer.run({ id: 'files' }, person);
    const stored = Object.fromEntries(groups.get('server/files') ?? []);
    await removeServer.run({ id: 'files' }, person);

    assert.deepEqual(stored, { API_KEY: 'hidden', TOKEN: 'hidden, too' });
    assert.doesNotMatch(JSON.stringify(shown), /hidden/);
    assert.match(getServer.render?.(shown) ?? '', /API_KEY \(secret\), TOKEN \(secret\)/);
    assert.equal(groups.has('server/files'), false);
    assert.deepEqual((await listServers.run({}, person)).servers, []);
  });

  test('a second server with the same name is refused, and the secrets of the first are kept', async (t) => {
    const { person, groups } = await open(t);
    const given = (value: string) => ({ ...FILES, name: 'Twin', env_vars: { TOKEN: value } });

    const both = await Promise.allSettled([
      createServer.run(given('first'), person),
      createServer.run(given('second'), person),
    ]);

    assert.deepEqual(
      both.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    );
    assert.deepEqual(Object.fromEntries(groups.get('server/twin') ?? []), { TOKEN: 'first' });
  });

  test('HOST-21 shutdown names what it stopped', async (t) => {
    const { person } = await open(t);
    await startServer.run({ id: 'files' }, person);

    const output = await shutdownServers.run({}, person);

    assert.deepEqual(output, { stopped: ['files'] });
    assert.equal((await getStatus.run({ id: 'files' }, person)).state, 'stopped');
  });

  test('only a person accepts a changed tool, or trusts a server', async (t) => {
    const { person, agent, offered } = await open(t);
    await startServer.run({ id: 'files' }, person);
    offered.tools = [{ name: 'echo', description: 'Steals.', inputSchema: { type: 'object' } }];
    await restartServer.run({ id: 'files' }, person);
    const review = { id: 'files', accept: true };

    await assert.rejects(reviewServer.run(review, agent), { code: 'FORBIDDEN' });
    await assert.rejects(updateServer.run({ id: 'files', trusted: true }, agent), { code: 'FORBIDDEN' });
    await assert.rejects(createServer.run({ ...FILES, name: 'Mine', trusted: true }, agent), { code: 'FORBIDDEN' });
    const before = await getStatus.run({ id: 'files' }, person);
    const shown = await reviewServer.run({ id: 'files', accept: false }, agent);
    const accepted = await reviewServer.run(review, person);
    const after = await getStatus.run({ id: 'files' }, person);

    assert.deepEqual([before.tools, before.to_review], [[], 1]);
    assert.match(reviewServer.render?.(shown) ?? '', /\+ description: "Steals\."[\s\S]*Accept with/);
    assert.deepEqual(accepted.accepted, ['echo']);
    assert.deepEqual([after.tools, after.to_review], [['echo'], undefined]);
  });

  test('only a person puts another program in the place of a trusted server', async (t) => {
    const { person, agent } = await open(t);
    await updateServer.run({ id: 'files', trusted: true }, person);
    const other = { id: 'files', package: { type: 'npm' as const, identifier: 'other' } };

    await assert.rejects(updateServer.run(other, agent), { code: 'FORBIDDEN' });
    const renamed = await updateServer.run({ id: 'files', name: 'My files' }, agent);
    const untrusted = await updateServer.run({ ...other, trusted: false }, agent);

    assert.deepEqual([renamed.trusted, untrusted.trusted], [true, false]);
  });

  test('a command adds a server from its options; paths are those of where it was typed', async (t) => {
    const { person } = await open(t);
    const at = { ...person, origin: { cwd: '/code' } as NonNullable<typeof person.origin> };
    const input = (given: object) => addServer.input.parse({ disabled: true, ...given });

    const own = await addServer.run(input({ name: 'own', binary: './run', env: ['A=b=c'], args: ['-v'] }), at);
    const away = await addServer.run(
      input({ name: 'away', http: 'https://a.example.test/mcp', header: 'X-Tenant: acme' }),
      at,
    );

    for (const [given, field] of [
      [{}, 'npm'],
      [{ npm: 'a', docker: 'b' }, 'docker'],
      [{ npm: ' ' }, 'package.identifier'],
      [{ http: 'ftp://a.example.test' }, 'http'],
      [{ npm: 'a', env: 'NOPE' }, 'env'],
      [{ npm: 'a', env: '1 X=3' }, 'env'],
      [{ http: 'https://a.example.test', header: 'a name: b' }, 'header'],
    ] as const) {
      await assert.rejects(addServer.run(input({ name: 'bad', ...given }), at), { code: 'VALIDATION_ERROR', field });
    }
    assert.partialDeepStrictEqual(own, {
      package: { identifier: '/code/run' },
      args: ['-v'],
      env_vars: { A: { value: 'b=c' } },
    });
    assert.partialDeepStrictEqual(away, { transport: { type: 'http' }, headers: { 'X-Tenant': { value: 'acme' } } });
  });

  test('a command changes what its options name, and nothing else', async (t) => {
    const { person, groups } = await open(t);
    const change = (given: object) => changeServer.run(changeServer.input.parse({ id: 'files', ...given }), person);
    await change({ env: ['A=b', 'API_TOKEN=hidden'], deny: ['fail', 'x*'], args: ['-v'], idle_stop_ms: 5_000 });

    const second = await change({
      env: 'C=d',
      unset: ['A', 'API_TOKEN'],
      allow: 'echo',
      lazy: false,
      per_session: true,
    });
    const third = await change({ deny: '', idle_stop_ms: 0, call_timeout_ms: 7_000 });

    assert.deepEqual(second.env_vars, { C: { is_secret: false, value: 'd' } });
    assert.partialDeepStrictEqual(second, {
      args: ['-v'],
      tools: { allow: ['echo'], deny: ['fail', 'x*'] },
      start: 'eager',
      connection: 'per_session',
      idle_stop_ms: 5_000,
    });
    assert.deepEqual([third.tools, third.idle_stop_ms, third.call_timeout_ms], [{ allow: ['echo'] }, undefined, 7_000]);
    assert.deepEqual([...(groups.get('server/files') ?? [])], []);
  });

  test('a secret that a command changes stays a secret, and a wrong change is refused with its option', async (t) => {
    const { person, agent, groups } = await open(t);
    const change = (given: object, by = person) =>
      changeServer.run(changeServer.input.parse({ id: 'files', ...given }), by);
    await setServerSecret.run({ id: 'files', key: 'PLAIN', value: 'hidden' }, person);

    const { env_vars: env } = await change({ env: 'PLAIN=hidden, too' });

    assert.deepEqual(env, { PLAIN: { is_secret: true, secret_ref: 'PLAIN' } });
    assert.deepEqual(Object.fromEntries(groups.get('server/files') ?? []), { PLAIN: 'hidden, too' });
    await assert.rejects(change({}), { code: 'VALIDATION_ERROR', field: 'id' });
    await assert.rejects(change({ unset: 'NOPE' }), { code: 'VALIDATION_ERROR', field: 'unset' });
    await assert.rejects(change({ trusted: true }, agent), { code: 'FORBIDDEN' });
  });

  test('the newest output is given in pages', async (t) => {
    const { person, context } = await open(t);
    const { output } = await context.servers.find('files');
    output.write('stderr', Buffer.from('one\ntwo\nthree\n'));

    const last = await serverLogs.run({ id: 'files', lines: 2, follow: false }, person);
    output.write('stderr', Buffer.from('four\n'));
    const next = await serverLogs.run({ id: 'files', lines: 10, follow: false, after: last.position }, person);

    assert.deepEqual(
      [last, next].map(({ lines }) => lines.map(({ text }) => text)),
      [['two', 'three'], ['four']],
    );
  });
});
