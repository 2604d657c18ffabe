import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { request, stateless } from '../../tests/support/mcp/rpc-message.ts';
import type { RequestMessage } from './envelope.ts';
import { decide, evolve, initialState, type WireEvent, type WireState } from './wire-state.ts';

const START = initialState({ inSession: false });

describe('a request that arrives', () => {
  const table: [string, WireState, RequestMessage, string, string][] = [
    ['runs', START, message('tools/list'), 'run', 'legacy'],
    ['of 2026-07-28 runs in its era', START, message('tools/list', stateless()), 'run', 'modern'],
    ['listens', START, message('subscriptions/listen', stateless()), 'listen', 'modern'],
    ['requests the end of its session', START, message('shutdown'), 'shutdown', 'legacy'],
    ['of 2026-07-28 has no shutdown method', START, message('shutdown', stateless()), 'run', 'modern'],
    ['always belongs to a session if it is initialize', START, message('initialize', stateless()), 'run', 'legacy'],
    [
      'keeps the era of the session',
      evolve(START, { type: 'SessionBegun' }),
      message('subscriptions/listen', stateless()),
      'run',
      'legacy',
    ],
    ['is refused while draining', evolve(START, { type: 'DrainBegun' }), message('ping'), 'draining', 'legacy'],
    [
      'is refused if a listen request has its id',
      evolve(START, { type: 'ListenOpened', id: 1 }),
      message('ping'),
      'in-use',
      'legacy',
    ],
  ];
  for (const [title, state, arrived, kind, era] of table) {
    test(title, () => {
      const decision = decide(state, arrived, false);

      assert.equal(decision.kind, kind);
      assert.deepEqual(decision.request, { id: 1, method: arrived.method, era });
    });
  }

  test('is refused while another one with its id is running', () => {
    assert.equal(decide(START, message('ping'), true).kind, 'in-use');
  });
});

describe('any sequence of events on a connection', () => {
  const id = fc.integer({ min: 1, max: 4 });
  const arrival = fc.record({
    id,
    method: fc.constantFrom('ping', 'shutdown', 'subscriptions/listen'),
    params: fc.constantFrom({}, stateless()),
  });
  const happening: fc.Arbitrary<WireEvent> = fc.oneof(
    id.map((value): WireEvent => ({ type: 'ListenEnded', id: value })),
    fc.constantFrom<WireEvent>({ type: 'SessionBegun' }, { type: 'DrainBegun' }),
  );

  test('an id listens once at a time, and nothing starts while draining', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(arrival, happening), { maxLength: 40 }), (steps) => {
        let state = START;
        for (const step of steps) {
          const before = state;
          if ('type' in step) {
            state = evolve(state, step);
            continue;
          }
          const { kind, request: decided } = decide(state, { jsonrpc: '2.0', ...step }, false);
          if (kind === 'in-use') assert.ok(state.listening.has(step.id));
          if (kind !== 'run' && kind !== 'listen') continue;
          assert.ok(!before.listening.has(step.id) && !before.draining);
          assert.ok(!before.inSession || decided.era === 'legacy');
          if (kind === 'listen') state = evolve(state, { type: 'ListenOpened', id: step.id });
          assert.equal(state.listening.has(step.id), kind === 'listen');
        }
      }),
    );
  });

  test('the end of a listen request leaves all others unchanged, and may happen twice', () => {
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1 }), ([ended = 0, ...others]) => {
        const all = [ended, ...others].reduce((state, one) => evolve(state, { type: 'ListenOpened', id: one }), START);

        const once = evolve(all, { type: 'ListenEnded', id: ended });
        const twice = evolve(once, { type: 'ListenEnded', id: ended });

        assert.deepEqual([...once.listening], others);
        assert.equal(twice, once);
        assert.equal(all.listening.size, others.length + 1);
      }),
    );
  });
});

function message(method: string, params?: object): RequestMessage {
  return request(method, params, 1) as RequestMessage;
}
