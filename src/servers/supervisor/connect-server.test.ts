import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverConfig } from '../../../tests/support/servers/process-config.ts';
import { createRecordingListener, NEVER } from '../../../tests/support/servers/upstream-connection.ts';
import type { SecretGroups } from '../../capability.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { ServerOAuth } from '../oauth/server-oauth.ts';
import type { Guard } from '../process/guard.ts';
import type { ServerOutput } from '../process/server-process.ts';
import { createConnect } from './connect-server.ts';
import { StartFailure } from './server-connection.ts';

test('a login that has ended, or cannot be renewed, is named as the reason', async () => {
  const url = 'https://mcp.example.com/';
  const config = serverConfig({
    package: { type: 'http', identifier: url },
    transport: { type: 'http', url },
    auth: { type: 'oauth' },
  });
  const problemWith = async (code: ErrorCode) => {
    const connect = createConnect({
      home: '/',
      env: {},
      secrets: async () => ({}) as SecretGroups,
      oauth: { authorization: async () => Promise.reject(new AppError(code, 'Why.')) } as unknown as ServerOAuth,
      guard: {} as Guard,
      outputOf: () => ({ note() {} }) as unknown as ServerOutput,
      clientInfo: {},
      limits: () => ({ handshakeTimeoutMs: 5_000, stopTimeoutMs: 1_000, maxResultBytes: 1_000 }),
    });
    const thrown = await connect(config, createRecordingListener(), NEVER).catch((failure: unknown) => failure);
    assert.ok(thrown instanceof StartFailure);
    return [thrown.problem.code, thrown.problem.isFinal];
  };

  assert.deepEqual(await problemWith('UNAUTHENTICATED'), ['UNAUTHENTICATED', true]);
  assert.deepEqual(await problemWith('NETWORK_ERROR'), ['NETWORK_ERROR', undefined]);
});
