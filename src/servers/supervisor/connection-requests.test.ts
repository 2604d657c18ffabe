import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClientRefusal } from '../../domain/gateway.ts';
import type { ServerConfig } from '../../domain/server-config.ts';
import type { ServerOutput } from '../process/server-process.ts';
import { type Upstream, UpstreamFailure, type UpstreamRequestOptions } from '../upstream/upstream.ts';
import { createConnectionRequests, type ServerRequest } from './connection-requests.ts';
import type { ServerConnection } from './server-connection.ts';

const NEVER = new AbortController().signal;

function createWorld(era: Upstream['era'] = 'sessions', answer: () => Promise<object> = async () => ({})) {
  const levels: string[] = [];
  const asked: UpstreamRequestOptions[] = [];
  const written: string[] = [];
  const upstream = {
    era,
    setLogLevel: async (level: string) => void levels.push(level),
    request(_: string, __: object, options: UpstreamRequestOptions) {
      asked.push(options);
      return answer();
    },
  } as unknown as Upstream;
  const requests = createConnectionRequests({
    config: () => ({ id: 'zoo', name: 'Zoo' }) as unknown as ServerConfig,
    limits: () => ({ callTimeoutMs: 60_000, maxResultBytes: 1_000 }),
    output: { write: (_: string, text: Buffer) => void written.push(text.toString()) } as unknown as ServerOutput,
  });
  const connection = { upstream, ended: new Promise(() => {}) } as unknown as ServerConnection;
  const send = (request: Partial<Record<keyof ServerRequest, unknown>> = {}) =>
    requests.send(connection, 'tools/call', {}, {
      signal: NEVER,
      sessionKey: 'local',
      ask: async () => ({}),
      onLog: () => {},
      ...request,
    } as unknown as ServerRequest);
  return { requests, send, levels, asked, written };
}

describe('requests over one connection', () => {
  test('HOST-22 a session has the lowest level that a client asked for, and at least info', async () => {
    const { send, levels } = createWorld();

    await send();
    for (const logLevel of ['error', 'warning', 'debug', 'info']) await send({ logLevel });

    assert.deepEqual(levels, ['info', 'debug']);
  });

  test('HOST-22 without sessions each request states its level and its capabilities', async () => {
    const { send, levels, asked } = createWorld('stateless');

    await send({ logLevel: 'error', capabilities: { roots: {} } });
    await send();
    await send({ onLog: undefined });

    assert.deepEqual(levels, []);
    assert.deepEqual(
      asked.map(({ logLevel }) => logLevel),
      ['error', 'info', undefined],
    );
    assert.deepEqual(asked[0]?.capabilities, { roots: {} });
  });

  test('HOST-22 a log message that is of no request is in the output of the server', () => {
    const { requests, written } = createWorld();

    requests.onLog({ level: 'warning', data: { a: 1 } });

    assert.deepEqual(written, ['[warning] {"a":1}\n']);
  });

  test('a log message whose level cannot even be a text is written, too', () => {
    const { requests, written } = createWorld();

    requests.onLog({ level: { toString: 1, valueOf: 1 }, data: 'x' });

    assert.deepEqual(written, ['[log] x\n']);
  });

  test('HOST-22 a client that refuses to answer a server without sessions learns that this ended the call', async () => {
    const { send } = createWorld('stateless', async () => {
      throw new UpstreamFailure('cancelled', 'not answered', { cause: new ClientRefusal(-1, 'no') });
    });

    await assert.rejects(send(), { code: 'CONFLICT', message: "The client refused to answer server 'Zoo'." });
  });
});
