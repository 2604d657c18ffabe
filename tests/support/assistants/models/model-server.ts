import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { anthropic } from './anthropic.ts';
import { chatCompletions } from './chat-completions.ts';
import { gemini } from './gemini.ts';
import type { Body, ModelProtocol, ServerEvent } from './protocol.ts';
import { responses } from './responses.ts';
import type { ScriptedModel } from './scripted-model.ts';

const PROTOCOLS: readonly ModelProtocol[] = [anthropic, chatCompletions, responses, gemini];

/** A scripted model on loopback, in every protocol that assistants speak. */
export async function startModelServer(model: ScriptedModel) {
  /** Requests that are of none of them, to find out what a program asks for. */
  const others: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const protocol = PROTOCOLS.find(({ matches }) => matches(path));
    if (!protocol || request.method !== 'POST') {
      others.push(`${request.method} ${path}`);
      return sendOther(path, response);
    }
    const body = await bodyOf(request);
    const { json, events } = protocol.write(model.answer(protocol.read(body)), body);
    const isStream = body.stream === true || /stream/i.test(path) || searchParams.get('alt') === 'sse';
    if (isStream) sendEvents(events, response);
    else sendJson(json, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    others,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  return JSON.parse((await text(request)) || '{}');
}

/** Lists of models, and counts of tokens. */
function sendOther(path: string, response: ServerResponse): void {
  if (/token/i.test(path)) return sendJson({ input_tokens: 1, totalTokens: 1 }, response);
  if (!path.endsWith('/models')) response.statusCode = 404;
  const models = [{ id: 'scripted', object: 'model', owned_by: 'tests' }];
  sendJson({ object: 'list', data: models, models: [] }, response);
}

function sendJson(value: object, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
}

function sendEvents(events: readonly ServerEvent[], response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream');
  for (const { event, data } of events) {
    const head = event === undefined ? '' : `event: ${event}\n`;
    response.write(`${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}
