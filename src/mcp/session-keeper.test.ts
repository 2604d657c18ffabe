import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { manualClock } from '../../tests/support/manual-clock.ts';
import { memorySessions } from '../../tests/support/mcp/memory-sessions.ts';
import { initializeParams } from '../../tests/support/mcp/rpc-message.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { AppError } from '../domain/errors.ts';
import type { SessionRepository } from '../domain/session.ts';
import { createSessionKeeper } from './session-keeper.ts';

const FACTS = { principal: 'local', transport: 'stdio', only: [] } as const;

describe('the session of a connection', () => {
  test('CORE-04 is created and initialized, becomes ready, and closes, with an event for each', async () => {
    const { keeper, repository } = build();

    keeper.initialize(initializeParams('2025-06-18', { roots: {} }));
    keeper.confirm();
    keeper.beginClose('shutdown');
    await keeper.close('shutdown');

    assert.deepEqual(
      repository.events.map(({ type }) => type),
      ['SessionCreated', 'SessionInitializing', 'SessionInitialized', 'SessionClosing', 'SessionClosed'],
    );
    assert.partialDeepStrictEqual(keeper.current(), {
      state: 'closed',
      protocolVersion: '2025-06-18',
      client: { name: 'a test', version: '1.0.0' },
      clientCapabilities: { roots: {} },
      closedBecause: 'shutdown',
    });
  });

  test('CORE-04 is not initialized a second time', () => {
    const { keeper } = build();
    keeper.initialize(initializeParams('2025-06-18'));

    assert.throws(() => keeper.initialize(initializeParams('2025-06-18')), refusal('CONFLICT'));
    assert.equal(keeper.current()?.state, 'initializing');
  });

  test('is offered the newest version when the client requests an unsupported one', () => {
    const { keeper } = build();

    assert.equal(keeper.initialize(initializeParams('1999-01-01')).protocolVersion, '2025-11-25');
  });

  test('does not begin with an unusable initialize, and can still begin with a valid one', () => {
    const hostile = [
      undefined,
      {},
      { ...initializeParams('2025-06-18'), clientInfo: undefined },
      { ...initializeParams('2025-06-18'), clientInfo: { name: { toString: 1 }, version: 1 } },
      { ...initializeParams('2025-06-18'), capabilities: 'all' },
      { ...initializeParams('2025-06-18'), capabilities: { roots: 5 } },
      { ...initializeParams('2025-06-18'), protocolVersion: 5 },
    ];
    const { keeper } = build();

    for (const params of hostile) assert.throws(() => keeper.initialize(params), refusal('VALIDATION_ERROR'));
    const before = keeper.current();
    keeper.initialize(initializeParams('2025-06-18'));

    assert.equal(before, undefined);
    assert.equal(keeper.current()?.state, 'initializing');
  });

  test('does not exist before initialize, and earlier messages do not fail', async () => {
    const { keeper, repository } = build();

    keeper.confirm();
    keeper.setLogLevel('debug');
    keeper.subscribe('a://b');
    keeper.unsubscribe('a://b');
    keeper.beginClose('client');
    await keeper.close('client');

    assert.equal(keeper.current(), undefined);
    assert.deepEqual(repository.events, []);
  });

  test('stores level and subscriptions, each once', async () => {
    const { keeper, repository } = build();
    keeper.initialize(initializeParams('2025-06-18'));

    keeper.setLogLevel('debug');
    keeper.setLogLevel('debug');
    keeper.subscribe('a://b');
    keeper.subscribe('a://b');
    keeper.unsubscribe('c://d');
    await keeper.saved();

    assert.partialDeepStrictEqual(keeper.current(), { logLevel: 'debug', subscriptions: ['a://b'] });
    assert.equal(repository.events.length, 4);
  });

  test('is saved in the order of events, though the disk is slow', async () => {
    const slow = Promise.withResolvers<void>();
    const happened: string[] = [];
    let last = '';
    const { keeper } = build({
      async save({ state }, events) {
        await slow.promise;
        happened.push(...events.map(({ type }) => type));
        last = state;
      },
    });

    keeper.initialize(initializeParams('2025-06-18'));
    keeper.confirm();
    slow.resolve();
    await keeper.close('client');

    assert.deepEqual(happened, ['SessionCreated', 'SessionInitializing', 'SessionInitialized', 'SessionClosed']);
    assert.equal(last, 'closed');
  });

  test('that was abandoned is closed, and another can begin', async () => {
    const { keeper, repository } = build();
    const first = keeper.initialize(initializeParams('2025-06-18'));

    keeper.abandon();
    await keeper.saved();
    const second = keeper.initialize(initializeParams('2025-06-18'));

    assert.notEqual(second.id, first.id);
    assert.equal((await repository.find(first.id))?.state, 'closed');
  });

  test('stores the activity of its client once a minute, and when it is suspended', async () => {
    const told: number[] = [];
    const { keeper, clock } = build({ touch: async (_, at) => void told.push(at) });
    keeper.used();
    keeper.initialize(initializeParams('2025-06-18'));
    await keeper.saved();
    const start = clock.now();

    for (let second = 0; second < 150; second += 1) {
      clock.advance(1_000);
      keeper.used();
      await Promise.resolve();
    }
    await keeper.saved();

    assert.deepEqual(
      told.map((at) => at - start),
      [60_000, 120_000, 150_000],
    );
  });

  test('continues when it cannot be saved', async () => {
    const { keeper } = build({ save: () => Promise.reject(new Error('disk full')) });

    keeper.initialize(initializeParams('2025-06-18'));
    keeper.confirm();
    await keeper.close('client');

    assert.equal(keeper.current()?.state, 'closed');
  });
});

function build(instead: Partial<SessionRepository> = {}) {
  const repository = { ...memorySessions(), ...instead };
  const clock = manualClock();
  const parts = { repository, clock, log: silentLog };
  return { repository, clock, keeper: createSessionKeeper(parts, FACTS) };
}

function refusal(code: string): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code;
}
