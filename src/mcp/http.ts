import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, toAppError } from '../domain/errors.ts';
import type { RequestId } from '../lib/id-scanner.ts';
import type { ClientAccess, DoorParts } from './connection.ts';
import { type Envelope, openEnvelope } from './envelope.ts';
import { wireError } from './errors.ts';
import { sendJson, sendRefusal } from './http-answers.ts';
import { readMessage } from './http-body.ts';
import { accepts } from './http-session.ts';
import { createHttpSessions, type SessionLimits } from './http-sessions.ts';
import { withoutNullParams } from './params.ts';
import { createStatelessHandler } from './stateless-http.ts';
import { isSessionVersion, namesVersion, SESSION_VERSIONS } from './versions.ts';
import { MAX_BATCH_SIZE } from './wire.ts';

/** MCP over HTTP: both eras on one address. Authentication is done by the HTTP server. */
export function createMcpHttp(parts: DoorParts & SessionLimits) {
  const sessions = createHttpSessions(parts);
  const stateless = createStatelessHandler(parts);

  async function handle(request: IncomingMessage, response: ServerResponse, access: ClientAccess): Promise<void> {
    await access.registry.ready?.();
    switch (request.method) {
      case 'POST':
        return post(request, response, access);
      case 'GET':
        return withSession(request, response, access, (session) => {
          if (!accepts(request, 'text/event-stream')) {
            return sendRefusal(response, 406, -32600, 'Not Acceptable: the stream is text/event-stream.');
          }
          if (!session.listen(request, response))
            sendRefusal(response, 404, -32600, 'There is no such stream to resume.');
        });
      case 'DELETE':
        return withSession(request, response, access, async (session) => {
          session.connection.wire.endAll(new AppError('CONFLICT', 'The client ended its session while this ran.'));
          await sessions.close(session, 'client');
          response.writeHead(204).end();
        });
      default:
        return sendRefusal(response, 405, -32600, 'Method not allowed.', null, { allow: 'GET, POST, DELETE' });
    }
  }

  async function post(request: IncomingMessage, response: ServerResponse, access: ClientAccess): Promise<void> {
    const message = await readMessage(request, response, parts.limits.maxLineBytes);
    if (!message) return;
    const value = withoutNullParams(message.value);
    const envelope = openEnvelope(value);
    // The SDK would refuse it, too, but without the id.
    if (envelope.kind === 'invalid' && envelope.id !== null) return refuseEnvelope(response, envelope);
    if (isOfSession(request, envelope)) return postToSession(value, envelope, request, response, access);
    const direct = stateless.directly(value, request, access);
    if (direct) return stateless.handleDirectly(direct, { request, response, access });
    const { isStateless } = await import('./stateless-endpoint.ts');
    if (isStateless(request, value)) return stateless.handle(request, response, value, access);
    await postToSession(value, envelope, request, response, access);
  }

  async function postToSession(
    value: unknown,
    envelope: Envelope,
    request: IncomingMessage,
    response: ServerResponse,
    access: ClientAccess,
  ): Promise<void> {
    const entries: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
    if (entries?.length === 0) return sendRefusal(response, 400, -32600, 'Invalid Request: an empty batch.');
    if (entries && entries.length > MAX_BATCH_SIZE) {
      return sendRefusal(
        response,
        400,
        -32600,
        `Invalid Request: a batch may have at most ${MAX_BATCH_SIZE} messages.`,
      );
    }
    const requests: RequestId[] = [];
    let initializes = false;
    for (const opened of entries?.map(openEnvelope) ?? [envelope]) {
      if (opened.kind === 'invalid') return refuseEnvelope(response, opened);
      if (opened.kind !== 'request') continue;
      requests.push(opened.message.id);
      initializes ||= opened.message.method === 'initialize';
    }
    if (initializes && request.headers['mcp-session-id'] === undefined) {
      if (entries && entries.length > 1)
        return sendRefusal(response, 400, -32600, 'Invalid Request: initialize comes alone.');
      const session = open(response, access);
      if (!session) return;
      session.post(value, requests, request, response);
      return sessions.keep(session);
    }
    await withSession(request, response, access, (session) => {
      const duplicate = requests.find((id, index) => session.inUse(id) || requests.indexOf(id) !== index);
      if (duplicate !== undefined) {
        return sendRefusal(response, 400, -32600, 'Invalid Request: this id is in use.', duplicate);
      }
      session.post(value, requests, request, response);
    });
  }

  function open(response: ServerResponse, access: ClientAccess) {
    try {
      return sessions.open(access);
    } catch (thrown) {
      sendJson(response, 429, { jsonrpc: '2.0', id: null, error: wireError(toAppError(thrown), 'legacy') });
      return undefined;
    }
  }

  async function withSession(
    request: IncomingMessage,
    response: ServerResponse,
    access: ClientAccess,
    use: (session: ReturnType<typeof sessions.open>) => void | Promise<void>,
  ): Promise<void> {
    const version = request.headers['mcp-protocol-version'];
    if (version !== undefined && !isSessionVersion(version)) {
      const supported = SESSION_VERSIONS.join(', ');
      return sendRefusal(response, 400, -32600, `Unsupported MCP-Protocol-Version. Supported here: ${supported}.`);
    }
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') {
      return sendRefusal(
        response,
        400,
        -32600,
        'Mcp-Session-Id is missing: send initialize first, then its session id.',
      );
    }
    const found = sessions.find(id, access);
    const session = found instanceof Promise ? await found : found;
    if (!session) return sendRefusal(response, 404, -32600, 'Session not found: send initialize again.');
    await use(session);
  }

  return {
    handle,
    sessions,
    async close(): Promise<void> {
      await Promise.all([sessions.suspendAll(), stateless.close()]);
    },
  };
}

function refuseEnvelope(response: ServerResponse, { code, problem, id }: Extract<Envelope, { kind: 'invalid' }>): void {
  const title = code === -32600 ? 'Invalid Request' : 'Invalid params';
  sendRefusal(response, 400, code, `${title}: ${problem}.`, id);
}

/** Most messages are: those need not be classified by the SDK. */
function isOfSession({ headers }: IncomingMessage, envelope: Envelope): boolean {
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && !isSessionVersion(version)) return false;
  if (version !== undefined && headers['mcp-session-id'] !== undefined) return true;
  return (envelope.kind === 'request' || envelope.kind === 'notification') && !namesVersion(envelope.message.params);
}
