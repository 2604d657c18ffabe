import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { BeeperModel, Json } from './beeper-model.ts';
import { PAGE } from './beeper-model.ts';
import { acceptWebSocket } from './web-socket.ts';

export const TOKEN = 'the-token-of-beeper';

/** A stand-in for the API of Beeper Desktop: requests below `/v1`, and events by a WebSocket. */
export async function startBeeperServer(model: BeeperModel) {
  const server = createServer((request, response) => {
    answer(model, request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket) => {
    if (request.url !== '/v1/ws' || !isAllowed(request)) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
    let isSubscribed = false;
    const tell = (event: Json) => {
      if (isSubscribed) client.send(JSON.stringify(event));
    };
    model.events.on('event', tell);
    const client = acceptWebSocket(request, socket, {
      onText(text, from) {
        const { type, requestID, chatIDs } = JSON.parse(text) as Json;
        if (type !== 'subscriptions.set') return;
        isSubscribed = true;
        from.send(JSON.stringify({ type: 'subscriptions.updated', requestID, chatIDs }));
      },
      onEnd: () => void model.events.off('event', tell),
    });
    client.send(JSON.stringify({ type: 'ready', version: 1, chatIDs: [] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isAllowed({ headers }: IncomingMessage): boolean {
  return headers.authorization === `Bearer ${TOKEN}`;
}

async function answer(model: BeeperModel, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const [version, room, chat, part, id] = pathname.split('/').slice(1).map(decodeURIComponent);
  const reply = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const orMissing = (body: unknown) => (body === undefined ? reply(404, { code: 'NOT_FOUND' }) : reply(200, body));
  if (!isAllowed(request)) return reply(401, { code: 'UNAUTHORIZED' });
  if (version !== 'v1') return reply(404, { code: 'NOT_FOUND' });
  if (room === 'accounts') {
    return reply(200, [
      { accountID: 'whatsapp_1', network: 'WhatsApp', user: {} },
      { accountID: 'telegram_1', network: 'Telegram', user: {} },
    ]);
  }
  if (room === 'assets') {
    const content = model.assets.get(searchParams.get('url') ?? '');
    if (!content) return reply(404, { code: 'NOT_FOUND' });
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': content.length });
    response.end(content);
    return;
  }
  if (room !== 'chats') return reply(404, { code: 'NOT_FOUND' });
  if (!chat) return reply(200, chatPage(model, Number(searchParams.get('cursor') ?? 0)));
  const known = model.chats.find((each) => each.id === chat);
  if (!part || !known) return orMissing(known);
  if (request.method === 'POST') return orMissing(model.send(chat, (await json(request)) as Json));
  if (id) return orMissing(model.find(chat, id));
  return reply(200, model.page(chat, searchParams.get('cursor'), searchParams.get('direction')));
}

function chatPage({ chats }: BeeperModel, from: number): Json {
  const items = chats.slice(from, from + PAGE);
  const next = from + items.length;
  return { items, hasMore: next < chats.length, oldestCursor: String(next), newestCursor: String(from) };
}
