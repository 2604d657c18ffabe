import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { localPrincipal } from '../domain/principal.ts';
import type { OperationContext } from '../operation.ts';
import { canAnswer, gatewayRequest } from './gateway-request.ts';
import type { Caller, RequestContext } from './registry.ts';

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const CONTEXT = { signal: new AbortController().signal } as OperationContext;

function requestOf(caller: Partial<Caller>, request: object = {}) {
  const notified: unknown[] = [];
  const context = {
    mcpReq: {
      id: 1,
      method: 'tools/call',
      signal: CONTEXT.signal,
      notify: async (notification: unknown) => void notified.push(notification),
      ...request,
    },
  } as unknown as RequestContext;
  const whole: Caller = { principal: localPrincipal(), era: 'legacy', ...caller };
  return { request: gatewayRequest(context, whole, CONTEXT), notified };
}

describe('a request of a client for the gateway', () => {
  test('HOST-22 progress is reported with the token of the client, where it has one', () => {
    const { request, notified } = requestOf({}, { _meta: { progressToken: 'mine' } });

    request.onProgress?.({ progress: 1, progressToken: 99 });

    assert.deepEqual(notified, [{ method: 'notifications/progress', params: { progress: 1, progressToken: 'mine' } }]);
    assert.equal(requestOf({}).request.onProgress, undefined);
  });

  test('HOST-22 in a session, log messages are those of the level that it has at the time', () => {
    let level: string | undefined;
    const { request, notified } = requestOf({ logLevel: () => level });

    request.onLog?.({ level: 'debug' });
    level = 'error';
    request.onLog?.({ level: 'info' });
    request.onLog?.({ level: 'critical' });

    assert.deepEqual(
      notified.map((one) => (one as { params: { level: string } }).params.level),
      ['debug', 'critical'],
    );
  });

  test('HOST-22 without a session, only requests with a level get log messages', () => {
    const { request, notified } = requestOf({ era: 'modern' }, { envelope: { [LOG_LEVEL]: 'warning' } });

    request.onLog?.({ level: 'info' });
    request.onLog?.({ level: 'warning' });

    assert.equal(request.logLevel, 'warning');
    assert.equal(notified.length, 1);
    assert.equal(requestOf({ era: 'modern' }, { envelope: {} }).request.onLog, undefined);
  });

  test('HOST-22 a client with a session is asked; without one it repeats its request', () => {
    const asking = requestOf({ ask: async () => ({}), clientCapabilities: () => ({ roots: {} }) }).request;
    const repeating = requestOf(
      { era: 'modern', ask: async () => ({}) },
      { envelope: { [CAPABILITIES]: { sampling: {} } }, inputResponses: { q1: {} }, requestState: () => 'state' },
    ).request;

    assert.ok(asking.ask);
    assert.equal(asking.canAnswer('roots/list', {}), true);
    assert.equal(repeating.ask, undefined);
    assert.deepEqual(repeating.repeated, { responses: { q1: {} }, state: 'state' });
    assert.deepEqual(repeating.capabilities, { sampling: {} });
  });
});

describe('what a client can answer', () => {
  test('HOST-22 depends on what it declared', () => {
    const both = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

    assert.equal(canAnswer({ elicitation: {} }, 'elicitation/create', {}), true);
    assert.equal(canAnswer({ elicitation: {} }, 'elicitation/create', { mode: 'url' }), false);
    assert.equal(canAnswer(both, 'elicitation/create', { mode: 'url' }), true);
    assert.equal(canAnswer({ sampling: {} }, 'sampling/createMessage', {}), true);
    assert.equal(canAnswer({ sampling: {} }, 'sampling/createMessage', { tools: [] }), false);
    assert.equal(canAnswer(both, 'sampling/createMessage', { tools: [] }), true);
    assert.equal(canAnswer({}, 'roots/list', {}), false);
    assert.equal(canAnswer(both, 'tools/call', {}), false);
  });
});
