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

describe('a message goes', () => {
  const table: [string, DispatchState, object, string][] = [
    ['to the hot path, where a session begins', NEW, initialize, 'hot-path'],
    ['to the SDK, where a request comes before any session', NEW, request('tools/list', {}, 1), 'sdk'],
    [
      'to the SDK, where a notification comes before any session',
      NEW,
      notification('notifications/initialized'),
      'sdk',
    ],
    ['to the SDK, where initialize follows a probe', PROBED, initialize, 'sdk'],
    [
      'to the SDK, where initialize claims to be of 2026-07-28',
      NEW,
      request('initialize', stateless(initializeParams('2025-11-25')), 1),
      'sdk',
    ],
    ['to the hot path first, where a session requests anything', BOTH, request('prompts/get', {}, 1), 'hot-path'],
    ['to the hot path first, where a session cancels', BOTH, cancelled, 'hot-path'],
    [
      'nowhere, where nothing follows notifications',
      BEGUN,
      notification('notifications/roots/list_changed'),
      'nowhere',
    ],
    ['nowhere, where nothing was requested of the client', BEGUN, { jsonrpc: '2.0', id: 1, result: {} }, 'nowhere'],
    ['to the SDK, where it may have requested something', BOTH, { jsonrpc: '2.0', id: 1, result: {} }, 'sdk'],
  ];
  for (const [title, state, message, route] of table) {
    test(title, () => {
      assert.equal(routeOf(state, message as JSONRPCMessage), route);
    });
  }
});
