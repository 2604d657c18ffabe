import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { z } from 'zod';
import { manualClock } from '../tests/support/manual-clock.ts';
import { silentLog } from '../tests/support/operation-context.ts';
import { tokenPrincipal } from '../tests/support/token-principal.ts';
import type { Capability } from './capability.ts';
import { AppError } from './domain/errors.ts';
import { localPrincipal } from './domain/principal.ts';
import { type Call, type Operation, operation } from './operation.ts';
import { createPipeline, type PipelineParts } from './pipeline.ts';

const CALL: Call = { principal: localPrincipal(), door: 'mcp' };
const SECRET = 'hunter2-hunter2';

const shout = operation({
  mcp: { name: 'shout' },
  kind: 'command',
  effect: 'sends',
  description: 'Says it louder.',
  input: z.strictObject({ text: z.string(), times: z.int().min(1).max(3).default(1) }),
  output: z.object({ said: z.string() }),
  run: async ({ text, times }) => ({ said: text.toUpperCase().repeat(times) }),
});

describe('a call', () => {
  test('checks the input, runs, and returns the output without unknown keys', async () => {
    const { pipeline, capability } = build(shoutThat(async () => ({ said: 'HEY', inner: 'not for callers' })));

    const output = await pipeline.call(capability, onlyOperation(capability), { text: 'hey' }, CALL);

    assert.deepEqual(output, { said: 'HEY' });
  });

  test('fills in defaults before the operation sees the input, and treats no input as an empty one', async () => {
    const { pipeline, capability } = build(shout);
    const error = await failure(pipeline.call(capability, shout, undefined, CALL));

    assert.deepEqual(await pipeline.call(capability, shout, { text: 'a' }, CALL), { said: 'A' });
    assert.deepEqual(error.toJSON(), { code: 'INVALID_PARAMETER', message: 'text is required.', field: 'text' });
  });

  test('passes the capability’s dependencies and the principal to the operation', async () => {
    const run = mock.fn(async (_input: unknown, _context: object) => ({ said: '' }));
    const { pipeline, capability } = build(shoutThat(run), { parts: { greeting: 'hello' } });

    await pipeline.call(capability, onlyOperation(capability), { text: 'x' }, CALL);

    const [, context] = run.mock.calls[0]?.arguments ?? [];
    assert.partialDeepStrictEqual(context, { greeting: 'hello', principal: CALL.principal });
  });

  test('names the wrong field and what is valid, with the code of the capability', async () => {
    const { pipeline, capability } = build(shout, { invalidInput: 'VALIDATION_ERROR' });

    const wrongType = await failure(pipeline.call(capability, shout, { text: 'x', times: 'three' }, CALL));
    const tooBig = await failure(pipeline.call(capability, shout, { text: 'x', times: 4 }, CALL));
    const unknown = await failure(pipeline.call(capability, shout, { text: 'x', loudness: 1 }, CALL));

    assert.deepEqual(wrongType.toJSON(), {
      code: 'VALIDATION_ERROR',
      message: 'times: expected number, received string.',
      field: 'times',
    });
    assert.match(tooBig.message, /^times: must be at most 3\.$/);
    assert.deepEqual([unknown.message, unknown.field], ['Unknown field: loudness. Valid: text, times.', 'loudness']);
  });

  test('does not run with an input that the check refuses', async () => {
    const run = mock.fn(async () => ({ said: '' }));
    const { pipeline, capability } = build(shoutThat(run));

    await failure(pipeline.call(capability, onlyOperation(capability), { text: 5 }, CALL));
    await failure(pipeline.call(capability, onlyOperation(capability), 'text', CALL));
    await failure(pipeline.call(capability, onlyOperation(capability), ['text'], CALL));

    assert.equal(run.mock.callCount(), 0);
  });

  test('an output that violates its schema is a bug: logged, and not shown to the caller', async () => {
    const { pipeline, capability, log } = build(shoutThat(async () => ({ said: 5 as never })));

    const error = await failure(pipeline.call(capability, onlyOperation(capability), { text: 'x' }, CALL));

    assert.equal(error.code, 'INTERNAL');
    assert.doesNotMatch(error.message, /schema|expected/);
    assert.equal(log.error.mock.callCount(), 1);
  });

  test('a failure that is not an AppError has its message only in the log', async () => {
    const { pipeline, capability, log } = build(
      shoutThat(async () => {
        throw new TypeError('cannot read properties of undefined');
      }),
    );

    const error = await failure(pipeline.call(capability, onlyOperation(capability), { text: 'x' }, CALL));

    assert.equal(error.code, 'INTERNAL');
    assert.doesNotMatch(JSON.stringify(error), /undefined/);
    assert.match(String(log.error.mock.calls[0]?.arguments[0].err), /cannot read/);
  });

  test('runs inside a span if tracing is on, and so does its refusal', async () => {
    const spans: string[] = [];
    const { pipeline, capability } = build(
      shout,
      {},
      {
        span: (name, _, run) => {
          spans.push(name);
          return run();
        },
      },
    );

    await pipeline.call(capability, shout, { text: 'x' }, CALL);
    await failure(pipeline.call(capability, shout, {}, { ...CALL, principal: tokenPrincipal('stranger', []) }));
    await pipeline.call(capability, { ...shout, cli: { path: 'chat shout' } }, { text: 'x' }, CALL);

    assert.deepEqual(spans, ['chat shout', 'chat shout', 'chat shout']);
  });
});

describe('authorization', () => {
  test('a principal without the scope is refused before anything runs, and the refusal is in the audit log', async () => {
    const run = mock.fn(async () => ({ said: '' }));
    const { pipeline, capability, audit } = build(shoutThat(run));
    const reader: Call = { principal: tokenPrincipal('reader', ['chat:read', 'chat:write']), door: 'rest' };

    const error = await failure(pipeline.call(capability, onlyOperation(capability), { text: 'x' }, reader));

    assert.deepEqual(error.toJSON(), {
      code: 'FORBIDDEN',
      message: 'This takes the scope chat:send, which reader does not have.',
    });
    assert.equal(run.mock.callCount(), 0);
    assert.partialDeepStrictEqual(lastEntry(audit), { principal: 'reader', door: 'rest', result: 'FORBIDDEN' });
  });

  test('the required scope follows from the effect, or is the one the operation names', async () => {
    const scoped = (scope: string): Call => ({ principal: tokenPrincipal('t', [scope]), door: 'mcp' });
    const managing: Operation = { ...shout, right: 'manage' };
    const { pipeline, capability } = build(shout);

    const outcomes = await Promise.allSettled([
      pipeline.call(capability, shout, { text: 'x' }, scoped('chat:send')),
      pipeline.call(capability, shout, { text: 'x' }, scoped('email:send')),
      pipeline.call(capability, managing, { text: 'x' }, scoped('chat:manage')),
      pipeline.call(capability, managing, { text: 'x' }, scoped('chat:send')),
      pipeline.read(capability, { name: 'a://b', access: { right: 'read' } }, scoped('chat:read'), async () => 'text'),
      pipeline.read(capability, { name: 'a://b', access: { right: 'read' } }, scoped('chat:send'), async () => 'text'),
    ]);

    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected'],
    );
  });
});

describe('the timeout of a call', () => {
  test('the default ends a call that ignores its signal, and the answer says so', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { pipeline, capability, begun } = buildHanging();
    const ended = failure(pipeline.call(capability, onlyOperation(capability), { text: 'x' }, CALL));
    const { signal } = await begun;

    context.mock.timers.tick(1_000);
    const error = await ended;

    assert.deepEqual(error.toJSON(), { code: 'TIMEOUT', message: 'The call took longer than 1000 ms and was ended.' });
    assert.ok(signal.aborted);
  });

  test('an operation may have its own', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { pipeline, capability, begun } = buildHanging({ deadlineMs: 5_000 });
    const ended = failure(pipeline.call(capability, onlyOperation(capability), { text: 'x' }, CALL));
    const { signal } = await begun;

    context.mock.timers.tick(4_999);
    const abortedBefore = signal.aborted;
    context.mock.timers.tick(1);

    assert.equal(abortedBefore, false);
    assert.match((await ended).message, /5000 ms/);
  });

  test('a call ends when its caller disconnects', async () => {
    const { pipeline, capability, begun } = buildHanging();
    const caller = new AbortController();
    const ended = failure(
      pipeline.call(capability, onlyOperation(capability), { text: 'x' }, { ...CALL, signal: caller.signal }),
    );
    const { signal } = await begun;

    caller.abort();
    const error = await ended;

    assert.equal(error.message, 'The call was cancelled.');
    assert.ok(signal.aborted);
  });

  test('nothing is sent for a caller that disconnected before', async () => {
    const run = mock.fn(async () => ({ said: '' }));
    const { pipeline, capability } = build(shoutThat(run));
    const gone: Call = { ...CALL, signal: AbortSignal.abort() };

    await failure(pipeline.call(capability, onlyOperation(capability), { text: 'x' }, gone));

    assert.equal(run.mock.callCount(), 0);
  });

  test('progress reaches the caller, but not after the end', async () => {
    const reports: unknown[][] = [];
    const caller = new AbortController();
    const { pipeline, capability, begun } = buildHanging();
    const call: Call = { ...CALL, signal: caller.signal, progress: (...progress) => void reports.push(progress) };
    const ended = failure(pipeline.call(capability, onlyOperation(capability), { text: 'x' }, call));
    const { progress } = await begun;

    progress(1, 2, 'half');
    caller.abort();
    progress(2, 2, 'too late');
    await ended;

    assert.deepEqual(reports, [[1, 2, 'half']]);
  });
});

describe('the audit log', () => {
  test('has an entry for a successful call, with principal, door, operation and duration', async () => {
    const clock = manualClock(1_000);
    const { pipeline, capability, audit } = build(
      shoutThat(async () => {
        clock.advance(25);
        return { said: 'x' };
      }),
      {},
      { clock },
    );

    await pipeline.call(capability, onlyOperation(capability), { text: 'the words' }, CALL);

    assert.deepEqual(lastEntry(audit), {
      at: 1_000,
      principal: 'local',
      door: 'mcp',
      operation: 'shout',
      effect: 'sends',
      durationMs: 25,
      result: 'ok',
    });
  });

  test('has an entry for a failed call, with the code', async () => {
    const { pipeline, capability, audit } = build(
      shoutThat(async () => {
        throw new AppError('NETWORK_ERROR', 'The network is down.');
      }),
    );

    await failure(pipeline.call(capability, onlyOperation(capability), { text: 'x' }, CALL));
    await failure(pipeline.call(capability, onlyOperation(capability), {}, CALL));

    assert.deepEqual(
      audit.mock.calls.map(({ arguments: [{ result }] }) => result),
      ['NETWORK_ERROR', 'INVALID_PARAMETER'],
    );
  });

  test('has an entry for a resource read by URI', async () => {
    const { pipeline, capability, audit } = build(shout);

    await pipeline.read(capability, { name: 'messages://all', access: { right: 'read' } }, CALL, async () => 'text');

    assert.partialDeepStrictEqual(lastEntry(audit), { operation: 'messages://all', effect: 'reads', result: 'ok' });
  });

  test('that cannot be written changes the outcome of no call', async () => {
    const audits: PipelineParts['audit'][] = [
      () => Promise.reject(new Error('disk full')),
      () => {
        throw new Error('closed');
      },
    ];
    for (const audit of audits) {
      const { pipeline, capability, log } = build(shout, {}, { audit });

      const output = await pipeline.call(capability, shout, { text: 'x' }, CALL);
      const error = await failure(pipeline.call(capability, shout, {}, CALL));

      assert.deepEqual(output, { said: 'X' });
      assert.equal(error.code, 'INVALID_PARAMETER');
      assert.equal(log.error.mock.callCount(), 2);
    }
  });
});

describe('secrets', () => {
  test('are removed from outputs and from what is read', async () => {
    const { pipeline, capability } = build(shoutThat(async () => ({ said: `psst ${SECRET}` })));

    const output = await pipeline.call(capability, onlyOperation(capability), { text: 'x' }, CALL);
    const text = await pipeline.read(capability, { name: 'a://b', access: { right: 'read' } }, CALL, async () => ({
      deep: [SECRET],
    }));

    assert.deepEqual(output, { said: 'psst ***' });
    assert.deepEqual(text, { deep: ['***'] });
  });

  test('are removed from all texts of an error', async () => {
    const { pipeline, capability } = build(
      shoutThat(async () => {
        throw new AppError('CONFLICT', `no ${SECRET}`, { field: SECRET, hint: `try ${SECRET}` });
      }),
    );

    const error = await failure(pipeline.call(capability, onlyOperation(capability), { text: 'x' }, CALL));
    const unknown = await failure(
      pipeline.call(capability, onlyOperation(capability), { text: 'x', [SECRET]: 1 }, CALL),
    );

    assert.deepEqual(error.toJSON(), { code: 'CONFLICT', message: 'no ***', field: '***', hint: 'try ***' });
    assert.doesNotMatch(JSON.stringify(unknown), /hunter2/);
  });
});

type Run = typeof shout.run;

function shoutThat(run: Run | (() => ReturnType<Run>)): Operation {
  return { ...shout, run };
}

function build(one: Operation, more: Partial<Capability> = {}, parts: Partial<PipelineParts> = {}) {
  const log = { ...silentLog, error: mock.fn((_fields: Record<string, unknown>, _message: string) => {}) };
  const audit = mock.fn<PipelineParts['audit']>(async () => {});
  const pipeline = createPipeline({
    clock: manualClock(),
    log,
    deadlineMs: () => 1_000,
    mask: { mask, maskDeep: (value) => JSON.parse(mask(JSON.stringify(value))) },
    audit,
    ...parts,
  });
  const capability: Capability = {
    name: 'chat',
    invalidInput: 'INVALID_PARAMETER',
    operations: [one],
    parts: {},
    ...more,
  };
  return { pipeline, capability, log, audit };
}

/** A call that never ends by itself; `begun` is its context. */
function buildHanging(more: Partial<Operation> = {}) {
  const { promise: begun, resolve } = Promise.withResolvers<Parameters<Run>[1]>();
  const hanging: Operation = {
    ...shout,
    ...more,
    run: (_, context) => {
      resolve(context);
      return new Promise(() => {});
    },
  };
  return { ...build(hanging), begun };
}

function mask(text: string): string {
  return text.replaceAll(SECRET, '***');
}

function onlyOperation({ operations: [one] }: Capability): Operation {
  assert.ok(one);
  return one;
}

function lastEntry(audit: { mock: { calls: readonly { arguments: readonly unknown[] }[] } }): unknown {
  return audit.mock.calls.at(-1)?.arguments[0];
}

async function failure(call: Promise<unknown>): Promise<AppError> {
  const [outcome] = await Promise.allSettled([call]);
  assert.equal(outcome.status, 'rejected');
  assert.ok(outcome.reason instanceof AppError);
  return outcome.reason;
}
