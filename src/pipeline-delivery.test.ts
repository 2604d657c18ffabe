import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { z } from 'zod';
import { manualClock } from '../tests/support/manual-clock.ts';
import { silentLog } from '../tests/support/operation-context.ts';
import { AppError } from './domain/errors.ts';
import { localPrincipal } from './domain/principal.ts';
import { type Call, type OperationContext, operation, type Settle } from './operation.ts';
import { createPipeline } from './pipeline.ts';

const CALL: Call = { principal: localPrincipal(), door: 'mcp' };

describe('the delivery of an answer', () => {
  test('is reported to the operation by the door', async () => {
    const { call, reports } = build();
    const doors: Settle[] = [];

    await call({ ...CALL, onDelivery: (settle) => void doors.push(settle) });
    const before = [...reports];
    doors[0]?.(false);

    assert.deepEqual([before, reports], [[], [false]]);
  });

  test('is reported once', async () => {
    const { call, reports } = build();
    const doors: Settle[] = [];

    await call({ ...CALL, onDelivery: (settle) => void doors.push(settle) });
    doors[0]?.(true);
    doors[0]?.(false);

    assert.deepEqual(reports, [true]);
  });

  test('is assumed where the door does not report it', async () => {
    const { call, reports } = build();

    await call(CALL);

    assert.deepEqual(reports, [true]);
  });

  test('is reported as failed when the call fails', async () => {
    const { call, reports } = build(async () => {
      throw new AppError('CONFLICT', 'No.');
    });

    await assert.rejects(call(CALL), { code: 'CONFLICT' });

    assert.deepEqual(reports, [false]);
  });

  test('is reported as failed when the caller disconnects before the operation subscribes', async () => {
    const left = new AbortController();
    const { call, reports, contexts } = build(() => new Promise(() => {}));

    const calling = call({ ...CALL, signal: left.signal });
    left.abort();
    await assert.rejects(calling, { code: 'TIMEOUT' });
    contexts[0]?.onDelivery(async (delivered) => void reports.push(delivered));

    assert.deepEqual(reports, [false, false]);
  });

  test('has follow-up work that can be waited for, even where it fails', async () => {
    const error = mock.fn();
    const work = Promise.withResolvers<void>();
    const { call, pipeline } = build(undefined, error, () => work.promise);
    await call(CALL);

    const drained = pipeline.drain();
    work.reject(new Error('disk full'));
    await drained;

    assert.equal(error.mock.callCount(), 1);
  });
});

test('a call has the process of its caller', async () => {
  const { call, contexts } = build();
  const origin = { pid: 1, cwd: '/repo', tmuxPane: '%3' };

  await call({ ...CALL, origin });
  await call(CALL);

  assert.deepEqual(
    contexts.map((context) => context.origin),
    [origin, undefined],
  );
});

function build(
  end: () => Promise<Record<string, never>> = async () => ({}),
  error = mock.fn(),
  after: () => Promise<void> = async () => {},
) {
  const reports: boolean[] = [];
  const contexts: OperationContext[] = [];
  const hand = operation({
    mcp: { name: 'hand' },
    kind: 'command',
    effect: 'writes',
    description: 'Hands something out.',
    input: z.strictObject({}),
    output: z.object({}),
    run(_, context) {
      contexts.push(context);
      context.onDelivery(async (delivered) => {
        reports.push(delivered);
        await after();
      });
      return end();
    },
  });
  const capability = { name: 'mail', invalidInput: 'VALIDATION_ERROR', operations: [hand], parts: {} } as const;
  const pipeline = createPipeline({
    clock: manualClock(),
    log: { ...silentLog, error },
    deadlineMs: () => 1_000,
    mask: { mask: (text) => text, maskDeep: (value) => value },
    audit: async () => {},
  });
  return { pipeline, reports, contexts, call: (how: Call) => pipeline.call(capability, hand, {}, how) };
}
