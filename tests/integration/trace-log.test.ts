import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { Capability } from '../../src/capability.ts';
import { localPrincipal } from '../../src/domain/principal.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLog } from '../../src/lib/log.ts';
import { operation } from '../../src/operation.ts';
import { createPipeline } from '../../src/pipeline.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { silentLog } from '../support/operation-context.ts';
import { startCollector } from '../support/otlp-collector.ts';

const stumble = operation({
  mcp: { name: 'stumble' },
  kind: 'query',
  effect: 'reads',
  description: 'Fails.',
  input: z.strictObject({}),
  output: z.object({}),
  async run(_, { log }) {
    log.info({}, 'on the way');
    throw new TypeError('x is not a function');
  },
});
const capability: Capability = { name: 'small', invalidInput: 'VALIDATION_ERROR', operations: [stumble], parts: {} };

async function linesOf(endpoint: string | undefined) {
  const telemetry = createTelemetry({ version: '1.2.3', startedAt: 0, log: silentLog });
  const otlp = endpoint === undefined ? {} : { otlp_endpoint: endpoint };
  await telemetry.start({ metrics: true, service: 'switchboard', sessionsOpen: async () => 0, ...otlp });
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const pipeline = createPipeline({
    clock: systemClock,
    log,
    deadlineMs: () => 60_000,
    mask: { mask: (text) => text, maskDeep: (value) => value },
    audit: async () => {},
    span: (name, { door }, run) => telemetry.observe({ operation: name, door }, run),
  });
  const call = pipeline.call(capability, stumble, {}, { principal: localPrincipal(), door: 'mcp' });
  await assert.rejects(call, { code: 'INTERNAL' });
  await Promise.all([log.flush(), telemetry.close()]);
  return lines;
}

describe('the log lines of a call', () => {
  test('CORE-13 contain its trace id if tracing is enabled', async (context) => {
    const collector = await startCollector(context);

    const lines = await linesOf(collector.url);

    assert.deepEqual(
      lines.map(({ msg, trace_id: trace }) => [msg, trace]),
      [
        ['on the way', collector.spans[0]?.traceId],
        ['a call failed', collector.spans[0]?.traceId],
      ],
    );
    assert.match(String(lines[0]?.span_id), /^[0-9a-f]{16}$/);
  });

  test('contain no trace id if tracing is disabled', async () => {
    const lines = await linesOf(undefined);

    assert.deepEqual(
      lines.map(({ trace_id: trace }) => trace),
      [undefined, undefined],
    );
  });
});
