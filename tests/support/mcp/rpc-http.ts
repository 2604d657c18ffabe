import { createMessageQueue } from './message-queue.ts';
import { initializeParams, type Message, notification, request } from './rpc-message.ts';

type Headers = Record<string, string>;

export interface HttpAnswer {
  status: number;
  headers: globalThis.Headers;
  /** All messages of the response, whether it was JSON or a stream. */
  messages: readonly Message[];
  body: string;
}

export const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Posts any body; reads the response to its end. */
export async function post(
  url: string,
  body: unknown,
  headers: Headers = {},
  signal?: AbortSignal,
): Promise<HttpAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...ACCEPT, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, messages: messagesOf(response, text), body: text };
}

/** A request of 2026-07-28, with the headers it requires. */
export function postStateless(
  url: string,
  message: { method: string; params?: { name?: string; uri?: string } },
  headers: Headers = {},
  signal?: AbortSignal,
): Promise<HttpAnswer> {
  return post(url, message, { ...standardHeaders(message), ...headers }, signal);
}

export function standardHeaders({
  method,
  params,
}: {
  method: string;
  params?: { name?: string; uri?: string };
}): Headers {
  const name = params?.name ?? params?.uri;
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined || !NAMED.has(method) ? {} : { 'mcp-name': name }),
  };
}

const NAMED: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);

/** Opens a stream of server-sent events and records it until it is closed. */
export async function openStream(url: string, init: { headers?: Headers; message?: unknown } = {}) {
  const stop = new AbortController();
  const posts = init.message !== undefined;
  const response = await fetch(url, {
    method: posts ? 'POST' : 'GET',
    headers: { ...(posts ? ACCEPT : { accept: 'text/event-stream' }), ...init.headers },
    ...(posts ? { body: JSON.stringify(init.message) } : {}),
    signal: stop.signal,
  });
  const messages = createMessageQueue();
  const ended = follow(response, messages).finally(() => messages.end());
  return { status: response.status, headers: response.headers, messages, ended, close: () => stop.abort() };
}

/** A client of Streamable HTTP with a session. */
export async function openSession(
  url: string,
  headers: Headers = {},
  version = '2025-11-25',
  capabilities: object = {},
) {
  const opened = await post(url, request('initialize', initializeParams(version, capabilities)), headers);
  const id = opened.headers.get('mcp-session-id') ?? '';
  const own = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': version };
  await post(url, notification('notifications/initialized'), own);
  return {
    id,
    headers: own,
    opened,
    post: (message: unknown, more: Headers = {}) => post(url, message, { ...own, ...more }),
    async call(method: string, params?: object): Promise<Message> {
      const message = request(method, params);
      const { messages } = await post(url, message, own);
      const answer = messages.find(({ id: answered }) => answered === message.id);
      if (!answer) throw new Error(`${method} was not answered`);
      return answer;
    },
    listen: (more: Headers = {}) => openStream(url, { headers: { ...own, ...more } }),
    close: () => fetch(url, { method: 'DELETE', headers: own }),
  };
}

function messagesOf(response: Response, text: string): Message[] {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return eventsIn(text).flatMap(({ data }) => data);
  if (!type.startsWith('application/json') || text === '') return [];
  const value = JSON.parse(text) as Message | Message[];
  return Array.isArray(value) ? value : [value];
}

function eventsIn(text: string): { data: Message[] }[] {
  return text.split('\n\n').map((event) => {
    const data = event
      .split('\n')
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).trim())
      .join('\n');
    return { data: data === '' ? [] : [JSON.parse(data) as Message] };
  });
}

async function follow(response: Response, messages: ReturnType<typeof createMessageQueue>): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of response.body ?? []) {
      rest += decoder.decode(chunk, { stream: true });
      const end = rest.lastIndexOf('\n\n');
      if (end === -1) continue;
      for (const { data } of eventsIn(rest.slice(0, end))) for (const message of data) messages.push(message);
      rest = rest.slice(end + 2);
    }
  } catch {
    // Closed by the test or by the server: the queue ends.
  }
}
