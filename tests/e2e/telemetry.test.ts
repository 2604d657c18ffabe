import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startHttp, startStdio } from '../support/mcp/mcp-program.ts';
import { openSession, postStateless } from '../support/mcp/rpc-http.ts';
import { request, stateless } from '../support/mcp/rpc-message.ts';
import { startCollector } from '../support/otlp-collector.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const _meta = { traceparent: `00-${TRACE}-${PARENT}-01` };

const fine = { name: 'switchboard_status', arguments: {} };
const failing = { name: 'switchboard_status', arguments: { nonsense: true } };

describe('CORE-13 traces and metrics', () => {
  test('of tool calls reach a collector, in the trace of the client, and a failed tool is marked as failed', async (context) => {
    const collector = await startCollector(context);
    const program = await startHttp({
      home: join(folder, 'collected'),
      env: { SWITCHBOARD_TELEMETRY__OTLP_ENDPOINT: `${collector.url}/` },
    });
    context.after(() => program.stop());
    const session = await openSession(program.url);

    await session.call('tools/call', { ...fine, _meta });
    await postStateless(program.url, request('tools/call', stateless(failing)));
    await session.call('resources/read', { uri: 'switchboard://status' });
    await fetch(`${program.base}/api/v1/sessions/nobody`);
    await program.stop();

    const calls = collector.spans.filter(({ attributes }) => attributes['switchboard.operation']);
    const [ok, failed, read, rest] = calls;
    assert.equal(calls.length, 4);
    assert.deepEqual([...new Set(collector.addresses)].sort(), ['/v1/metrics', '/v1/traces']);
    assert.deepEqual([...new Set(collector.services)], ['switchboard']);
    assert.partialDeepStrictEqual(ok, {
      name: 'tools/call switchboard_status',
      kind: 2,
      traceId: TRACE,
      parentSpanId: PARENT,
      attributes: {
        'mcp.method.name': 'tools/call',
        'mcp.protocol.version': '2025-11-25',
        'gen_ai.tool.name': 'switchboard_status',
        'switchboard.operation': 'system status',
        'switchboard.door': 'mcp',
      },
    });
    assert.match(String(ok?.attributes['jsonrpc.request.id']), /./);
    assert.equal(ok?.attributes['error.type'], undefined);
    assert.partialDeepStrictEqual(failed, {
      name: 'tools/call switchboard_status',
      status: { code: 2, message: 'VALIDATION_ERROR' },
      attributes: {
        'mcp.protocol.version': '2026-07-28',
        'error.type': 'tool_error',
        'switchboard.error.code': 'VALIDATION_ERROR',
      },
    });
    assert.notEqual(failed?.traceId, TRACE);
    assert.partialDeepStrictEqual(read, {
      name: 'resources/read',
      attributes: { 'mcp.resource.uri': 'switchboard://status' },
    });
    assert.partialDeepStrictEqual(rest, {
      name: 'system sessions show',
      status: { code: 2 },
      attributes: { 'switchboard.door': 'rest', 'error.type': 'NOT_FOUND' },
    });

    const durations = collector.points.filter(
      ({ metric, attributes }) =>
        metric === 'mcp.server.operation.duration' && attributes['mcp.method.name'] !== 'initialize',
    );
    const errors = durations.map(({ attributes }) => `${attributes['mcp.method.name']} ${attributes['error.type']}`);
    assert.deepEqual(errors.sort(), ['resources/read undefined', 'tools/call tool_error', 'tools/call undefined']);
    assert.ok(durations.every(({ unit, count }) => unit === 's' && count === 1));
    const gauges = new Set(collector.points.map(({ metric }) => metric));
    for (const name of ['switchboard.call.duration', 'switchboard.sessions.open', 'nodejs.eventloop.delay.p99']) {
      assert.ok(gauges.has(name), name);
    }
  });

  test('of requests that lead to no operation reach it too, whatever names a client sends', async (context) => {
    const collector = await startCollector(context);
    const program = await startHttp({
      home: join(folder, 'no-call'),
      env: { SWITCHBOARD_TELEMETRY__OTLP_ENDPOINT: collector.url },
    });
    context.after(() => program.stop());
    const session = await openSession(program.url);

    await session.call('tools/list', { _meta });
    await session.call('tools/call', { name: 'nobody', arguments: {} });
    await session.call('tools/call', { name: 'nobody', arguments: 5 });
    await session.call('resources/read', { uri: 'switchboard://nothing' });
    await session.call('an/invention');
    await postStateless(program.url, request('tools/call', stateless({ name: 'nobody', arguments: {} })));
    await postStateless(program.url, request('prompts/list', stateless()));
    await postStateless(program.url, request('tools/call', stateless({ name: 5 })));
    await program.stop();

    assert.deepEqual(
      collector.spans.map(({ name, attributes }) => [
        name,
        attributes['mcp.protocol.version'],
        attributes['gen_ai.tool.name'] ?? attributes['mcp.resource.uri'],
        attributes['error.type'],
      ]),
      [
        // The protocol version is not known yet when the span begins.
        ['initialize', undefined, undefined, undefined],
        ['tools/list', '2025-11-25', undefined, undefined],
        ['tools/call', '2025-11-25', 'nobody', 'NOT_FOUND'],
        ['tools/call', '2025-11-25', 'nobody', 'VALIDATION_ERROR'],
        ['resources/read', '2025-11-25', 'switchboard://nothing', 'NOT_FOUND'],
        ['_OTHER', '2025-11-25', undefined, '-32601'],
        ['tools/call', '2026-07-28', 'nobody', 'NOT_FOUND'],
        ['prompts/list', '2026-07-28', undefined, undefined],
        ['tools/call', '2026-07-28', undefined, 'VALIDATION_ERROR'],
      ],
    );
    assert.equal(collector.spans[1]?.traceId, TRACE);
    const durations = collector.points.filter(({ metric }) => metric === 'mcp.server.operation.duration');
    assert.equal(
      durations.reduce((sum, { count = 0 }) => sum + count, 0),
      collector.spans.length,
    );
    assert.ok(durations.every(({ attributes }) => attributes['gen_ai.tool.name'] === undefined));
  });

  test('a collector that is unreachable, or refuses, affects no call and is logged once', async (context) => {
    const refusing = await startCollector(context, 400);
    for (const endpoint of [refusing.url, 'http://127.0.0.1:9']) {
      const program = startStdio({
        home: join(folder, `away-${endpoint.length}`),
        env: { SWITCHBOARD_TELEMETRY__OTLP_ENDPOINT: endpoint },
      });
      await program.initialize();

      const { result } = await program.call('tools/call', fine);
      const { code, stderr, noise } = await program.stop();

      assert.ok(result);
      assert.equal(code, 0);
      assert.deepEqual(noise, []);
      assert.equal(stderr.match(/could not export traces and metrics/g)?.length, 1);
    }
  });

  test('OpenTelemetry is loaded only if it is configured', async (context) => {
    const collector = await startCollector(context);
    const loads = async (name: string, env: Record<string, string>) => {
      const program = startStdio({ home: join(folder, name), env: { NODE_OPTIONS: tellingLoads(), ...env } });
      await program.initialize();
      await program.call('tools/call', fine);
      const { stderr } = await program.stop();
      return stderr.split('\n').filter((line) => line.startsWith('loaded '));
    };

    const off = await loads('off', {});
    const on = await loads('on', { SWITCHBOARD_TELEMETRY__OTLP_ENDPOINT: collector.url });

    assert.ok(off.some((line) => line.endsWith('/dist/program.js')));
    assert.deepEqual(
      off.filter((line) => /telemetry/.test(line)),
      [],
    );
    assert.ok(on.some((line) => line.endsWith('/dist/telemetry.js')));
  });
});

describe('/metrics', () => {
  test('CORE-13 counts calls by operation, door and result', async (context) => {
    const program = await startHttp({ home: join(folder, 'counted') });
    context.after(() => program.stop());
    const session = await openSession(program.url);
    await session.call('tools/call', fine);
    await session.call('tools/call', fine);
    await session.call('tools/call', failing);
    await fetch(`${program.base}/api/v1/status`);

    const response = await fetch(`${program.base}/metrics`);
    const lines = (await response.text()).split('\n');

    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    for (const line of [
      'switchboard_calls_total{operation="system status",door="mcp",result="ok"} 2',
      'switchboard_calls_total{operation="system status",door="mcp",result="VALIDATION_ERROR"} 1',
      'switchboard_calls_total{operation="system status",door="rest",result="ok"} 1',
      'switchboard_call_duration_seconds_count{operation="system status",door="mcp"} 3',
      'switchboard_sessions_open 1',
    ]) {
      assert.ok(lines.includes(line), line);
    }
  });

  test('requires a token with the scope system:read, and can be switched off', async (context) => {
    const home = join(folder, 'guarded');
    const token = (name: string, scope: string) =>
      `{ name: ${name}, token_hash: ${createHash('sha256').update(name).digest('hex')}, scopes: [${scope}] }`;
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(
      join(home, 'config.yaml'),
      `auth:\n  tokens:\n    - ${token('looker', 'system:read')}\n    - ${token('chatter', 'chat:read')}\n`,
      { mode: 0o600 },
    );
    const guarded = await startHttp({ home });
    context.after(() => guarded.stop());
    const off = await startHttp({ home: join(folder, 'silent'), env: { SWITCHBOARD_TELEMETRY__METRICS: 'false' } });
    context.after(() => off.stop());
    const ask = async (base: string, headers: Record<string, string> = {}) =>
      (await fetch(`${base}/metrics`, { headers })).status;

    const statuses = [
      await ask(guarded.base),
      await ask(guarded.base, { authorization: 'Bearer chatter' }),
      await ask(guarded.base, { authorization: 'Bearer looker' }),
      await ask(off.base),
    ];

    assert.deepEqual(statuses, [401, 403, 200, 404]);
  });
});

/** Makes Node print the URL of every module it loads to standard error. */
function tellingLoads(): string {
  const file = join(folder, 'telling-loads.mjs');
  writeFileSync(
    file,
    `import { registerHooks } from 'node:module';
     registerHooks({ load: (url, context, next) => { process._rawDebug('loaded ' + url); return next(url, context); } });`,
  );
  return `--import=${file}`;
}
