import type { IncomingMessage, ServerResponse } from 'node:http';
import { newId } from '../domain/ids.ts';
import { randomHex } from '../lib/chance.ts';
import { type ClientAccess, type DoorParts, type McpConnection, openConnection } from './connection.ts';
import { createEventStream } from './event-stream.ts';
import { sendRefusal } from './http-answers.ts';
import { readMessage } from './http-body.ts';

/** The path that a client posts its messages to. */
const MESSAGES_PATH = '/messages';

/** HTTP with server-sent events, the transport of 2024-11-05: one stream out, one path for messages in. */
export function createSse(parts: DoorParts) {
  const open = new Map<string, { connection: McpConnection; identity: string; response: ServerResponse }>();

  /** Opens a client's stream; the first event contains the path to post to. */
  function listen(response: ServerResponse, access: ClientAccess): void {
    const key = newId<string>(parts.clock.now(), randomHex);
    const stream = createEventStream(key);
    const connection = openConnection(parts, {
      ...access,
      transport: 'sse',
      ready: stream.ready,
      write: async (message, _, settle) => {
        stream.push(JSON.stringify(message));
        // A comment, whose callback is called when everything before it was written.
        if (settle) response.write(': sent\n\n', (err) => settle(!err));
      },
      onShutdown: () => response.end(),
    });
    open.set(key, { connection, identity: access.principal.identity, response });
    response.once('close', () => {
      open.delete(key);
      connection.wire.abandon();
      void connection.close('client');
    });
    stream.attach(response, {});
    response.write(`event: endpoint\ndata: ${MESSAGES_PATH}?session_id=${key}\n\n`);
  }

  async function post(request: IncomingMessage, response: ServerResponse, access: ClientAccess): Promise<void> {
    const key = new URL(request.url ?? '', 'http://localhost').searchParams.get('session_id') ?? '';
    const found = open.get(key);
    if (found?.identity !== access.principal.identity) return sendRefusal(response, 404, -32600, 'Session not found.');
    const message = await readMessage(request, response, parts.limits.maxLineBytes);
    if (!message) return;
    response.writeHead(202).end();
    found.connection.wire.receive(message.value);
  }

  async function close(): Promise<void> {
    await Promise.all(
      [...open.values()].map(async ({ connection, response }) => {
        await connection.close('shutdown');
        response.end();
      }),
    );
  }

  return { listen, post, close };
}
