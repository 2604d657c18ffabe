import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { initializeParams, notification, request, stateless } from '../../tests/support/mcp/rpc-message.ts';
import { type DispatchState, routeOf } from './dispatcher.ts';

const NEW: DispatchState = { begun: false, sdkUsed: false };
const PROBED: DispatchState = { begun: false, sdkUsed: true };
const BEGUN: DispatchState = { begun: true, sdkUsed: false };
const BOTH: DispatchState = { begun: true, sdkUsed: true };

const initialize = request('initialize', initializeParams('2025-11-25'), 1);
const cancelled = notification('notifications/cancelled', { requestId: 1 });

describe('a message is dispatched', () => {
  const table: [string, DispatchState, object, string][] = [
    ['to the hot path, if it starts a session', NEW, initialize, 'hot-path'],
    ['to the SDK, if a request precedes any session', NEW, request('tools/list', {}, 1), 'sdk'],
    ['to the SDK, if a notification precedes any session', NEW, notification('notifications/initialized'), 'sdk'],
    ['to the SDK, if initialize follows a probe', PROBED, initialize, 'sdk'],
    [
      'to the SDK, if initialize claims to be of 2026-07-28',
      NEW,
      request('initialize', stateless(initializeParams('2025-11-25')), 1),
      'sdk',
    ],
    ['to the hot path first, if it is a request of a session', BOTH, request('prompts/get', {}, 1), 'hot-path'],
    ['to the hot path first, if it is a cancellation', BOTH, cancelled, 'hot-path'],
    [
      'nowhere, if it is a notification without a listener',
      BEGUN,
      notification('notifications/roots/list_changed'),
      'nowhere',
    ],
    ['nowhere, if it is a response to no request', BEGUN, { jsonrpc: '2.0', id: 1, result: {} }, 'nowhere'],
    ['to the SDK, if it may be a response to a request of the SDK', BOTH, { jsonrpc: '2.0', id: 1, result: {} }, 'sdk'],
  ];
  for (const [title, state, message, route] of table) {
    test(title, () => {
      assert.equal(routeOf(state, message as JSONRPCMessage), route);
    });
  }
});
