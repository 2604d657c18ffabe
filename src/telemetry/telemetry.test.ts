import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLog } from '../../tests/support/operation-context.ts';
import { startCollector } from '../../tests/support/otlp-collector.ts';
import { AppError } from '../domain/errors.ts';
import { createTelemetry } from './telemetry.ts';

const CALL = { operation: 'notes read', door: 'mcp' };
const fails = async () => {
  throw new AppError('CONFLICT', 'It is being written.');
};

describe('observed calls', () => {
  test('return or throw as they would without telemetry', async () => {
    const telemetry = await started({ metrics: true });

    assert.equal(await telemetry.observe(CALL, async () => 'read'), 'read');
    await assert.rejects(telemetry.observe(CALL, fails), { code: 'CONFLICT' });
  });

  test('CORE-13 are counted by outcome, including bugs', async () => {
    const telemetry = await started({ metrics: true });
    await telemetry.observe(CALL, async () => {});
    await telemetry.observe(CALL, fails).catch(() => {});
    await telemetry
      .observe(CALL, async () => {
        throw new TypeError('x is not a function');
      })
      .catch(() => {});

    const text = (await telemetry.metrics()) ?? '';

    for (const result of ['ok', 'CONFLICT', 'INTERNAL']) {
      assert.match(
        text,
        new RegExp(`^switchboard_calls_total\\{operation="notes read",door="mcp",result="${result}"\\} 1$`, 'm'),
      );
    }
    assert.match(text, /^switchboard_call_duration_seconds_count\{operation="notes read",door="mcp"\} 3$/m);
    assert.match(text, /^switchboard_sessions_open 3$/m);
    assert.match(text, /^switchboard_info\{version="1.2.3"\} 1$/m);
    assert.match(text, /^process_start_time_seconds 5$/m);
    assert.doesNotMatch(text, /not a function|being written/);
  });

  test('are counted once, and counters continue after telemetry is started again', async () => {
    const telemetry = await started({ metrics: true });
    await telemetry.observe(CALL, async () => {});
    await telemetry.close();

    await telemetry.start({ metrics: true, service: 'switchboard', sessionsOpen: async () => 0 });
    await telemetry.observe(CALL, async () => {});

    assert.match((await telemetry.metrics()) ?? '', /result="ok"\} 2$/m);
  });

  test('are neither counted nor sent if telemetry is disabled', async () => {
    const telemetry = await started({ metrics: false });

    await telemetry.observe(CALL, async () => {});

    assert.equal(telemetry.metrics(), undefined);
  });
});

describe('CORE-13 traces sent to a collector', () => {
  test('have one span per call, with a failed tool marked as the semantic conventions require', async (context) => {
    const collector = await startCollector(context);
    const telemetry = await started({ metrics: false, otlp_endpoint: collector.url });
    const request = { method: 'tools/call', id: '7', tool: 'read_note' };
    await telemetry.observe({ ...CALL, request }, fails).catch(() => {});
    await telemetry
      .observe({ ...CALL, request: { method: 'prompts/get', id: '8', prompt: 'p' } }, fails)
      .catch(() => {});
    await telemetry.observe(CALL, async () => {});

    await telemetry.close();
    await telemetry.close();

    assert.deepEqual(
      collector.spans.map(({ name, attributes }) => [name, attributes['error.type']]),
      [
        ['tools/call read_note', 'tool_error'],
        ['prompts/get p', 'CONFLICT'],
        ['notes read', undefined],
      ],
    );
    assert.doesNotMatch(JSON.stringify(collector.spans), /being written/);
    assert.ok(collector.points.some(({ metric }) => metric === 'switchboard.sessions.open'));
  });

  test('do not join a trace whose context is invalid', async (context) => {
    const collector = await startCollector(context);
    const telemetry = await started({ metrics: false, otlp_endpoint: collector.url });
    const request = { method: 'tools/call', id: '7', tool: 't' };
    const broken = ['', 'x', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`];
    for (const traceparent of broken)
      await telemetry.observe({ ...CALL, request: { ...request, traceparent } }, async () => {});

    await telemetry.close();

    assert.equal(collector.spans.length, broken.length);
    assert.ok(collector.spans.every(({ parentSpanId }) => !parentSpanId));
  });

  test('are not recorded where the client’s trace is not sampled', async (context) => {
    const collector = await startCollector(context);
    const telemetry = await started({ metrics: false, otlp_endpoint: collector.url });
    const traceparent = `00-${'a'.repeat(32)}-b7ad6b7169203331-00`;
    await telemetry.observe({ ...CALL, request: { method: 'tools/call', id: '7', traceparent } }, async () => {});

    await telemetry.close();

    assert.deepEqual(collector.spans, []);
  });
});

async function started(settings: { metrics: boolean; otlp_endpoint?: string }) {
  const telemetry = createTelemetry({ version: '1.2.3', startedAt: 5_000, log: silentLog });
  await telemetry.start({ ...settings, service: 'switchboard', sessionsOpen: async () => 3 });
  return telemetry;
}
