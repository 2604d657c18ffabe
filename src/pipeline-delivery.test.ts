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

describe('what becomes of an answer', () => {
  test('is told to the operation by the door that took it', async () => {
    const { call, told } = build();
    const doors: Settle[] = [];

    await call({ ...CALL, onDelivery: (settle) => void doors.push(settle) });
    const before = [...told];
    doors[0]?.(false);

    assert.deepEqual([before, told], [[], [false]]);
  });

  test('is told once, whatever the door says later', async () => {
    const { call, told } = build();
    const doors: Settle[] = [];

    await call({ ...CALL, onDelivery: (settle) => void doors.push(settle) });
    doors[0]?.(true);
    doors[0]?.(false);

    assert.deepEqual(told, [true]);
  });

  test('counts as delivered where the door cannot know', async () => {
    const { call, told } = build();

    await call(CALL);

    assert.deepEqual(told, [true]);
  });

  test('is nothing when the call fails after all', async () => {
    const { call, told } = build(async () => {
      throw new AppError('CONFLICT', 'No.');
    });

    await assert.rejects(call(CALL), { code: 'CONFLICT' });

    assert.deepEqual(told, [false]);
  });

  test('is nothing when the caller left before the operation asked', async () => {
    const left = new AbortController();
    const { call, told, contexts } = build(() => new Promise(() => {}));

    const calling = call({ ...CALL, signal: left.signal });
    left.abort();
    await assert.rejects(calling, { code: 'TIMEOUT' });
    contexts[0]?.onDelivery(async (delivered) => void told.push(delivered));

    assert.deepEqual(told, [false, false]);
  });

  test('and what follows from it can be waited for, even where it fails', async () => {
    const error = mock.fn();
    const work = Promise.withResolvers<void>();
    const { call, pipeline } = build(undefined, error, () => work.promise);
    await call(CALL);

    const settled = pipeline.settled();
    work.reject(new Error('disk full'));
    await settled;

    assert.equal(error.mock.callCount(), 1);
  });
});

test('a call knows the process it came from', async () => {
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
  const told: boolean[] = [];
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
        told.push(delivered);
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
  return { pipeline, told, contexts, call: (how: Call) => pipeline.call(capability, hand, {}, how) };
}
