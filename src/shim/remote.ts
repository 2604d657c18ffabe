import { isRecord } from '../lib/is-record.ts';
import { jsonLine } from '../lib/json-line.ts';
import { createLineCutter } from '../lib/lines.ts';
import { statelessHeaders } from '../lib/stateless-headers.ts';
import { stopSignal } from '../lib/stop-signal.ts';
import { visible } from '../lib/visible.ts';
import { createHttp, type Outcome } from './http-exchange.ts';
import { claimedVersion, isId, type Message, messagesIn, paramsOf, parseJson, type RequestId } from './message.ts';
import { offlineAnswer, troubleOf } from './offline.ts';
import { createRemoteSession, POST_HEADERS } from './remote-session.ts';

export interface RemoteOptions {
  /** The MCP endpoint. */
  url: URL;
  token?: string;
  only: readonly string[];
}

/** A line of the client that is being sent to the server. */
interface Call {
  body: Buffer;
  /** Its requests that have no answer yet. */
  owed: Map<RequestId, Message>;
  stop: AbortController;
  received?: Record<string, unknown>;
}

/** Servers refuse longer lines than this. */
const LONGEST_LINE = 64 * 1024 * 1024;
const GOODBYE_MS = 2_000;

/** `switchboard mcp --api-url`: passes messages between an assistant and a Switchboard that is reached over HTTP. */
export async function runRemote({ url, token, only }: RemoteOptions): Promise<number> {
  const { stdin, stdout, stderr } = process;
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    stderr.write('switchboard: The token has characters that no token has.\n');
    return 2;
  }
  const stop = stopSignal({ withParent: true });
  const send = createHttp(url, token);
  const over = Promise.withResolvers<void>();
  const calls = new Map<Promise<void>, Call>();
  const session = createRemoteSession({ send, onMessage: write, onRenewed: sayListsChanged });
  /** The handshake that later messages of a session wait for. */
  let handshake: Promise<void> = Promise.resolve();
  /** The lists that the client got without the server. */
  const listedOffline = new Set<string>();
  let complained = false;

  const cutter = createLineCutter(take, { holdUpTo: LONGEST_LINE, onPiece: refusePiece });
  stdin.on('data', (chunk: Buffer) => cutter.push(chunk));
  for (const event of ['end', 'error', 'close']) stdin.once(event, () => over.resolve());
  stop.addEventListener('abort', () => over.resolve(), { once: true });
  const deaf = new Promise<void>((resolve) => stdout.on('error', () => resolve()));
  await Promise.race([over.promise, deaf]);
  stdin.pause();
  const rest = cutter.rest();
  if (rest.length > 0) take(rest);
  await Promise.race([drain(), deaf]);
  for (const call of calls.values()) call.stop.abort();
  await session.end(AbortSignal.timeout(GOODBYE_MS));
  stdin.removeAllListeners().destroy();
  return 0;

  function take(line: Buffer): void {
    const text = line.toString('utf8').trim();
    if (text === '') return;
    const value = parseJson(text);
    const messages = messagesIn(value);
    if (messages.length === 0) return void write(failure(null, -32700, 'Parse error: this line is no message.'));
    const [first = {}] = messages;
    if (first.method === 'notifications/cancelled' && cancel(paramsOf(first).requestId)) return;
    const call: Call = { body: line, owed: requestsIn(messages), stop: new AbortController() };
    const done = handle(first, call)
      .catch(() => settle(call, { kind: 'lost' }))
      .finally(() => calls.delete(done));
    calls.set(done, call);
  }

  function handle(message: Message, call: Call): Promise<void> {
    const version = claimedVersion(message);
    if (version !== undefined) return post(call, statelessHeaders(message, version)).then((got) => settle(call, got));
    if (message.method === 'initialize') {
      session.begin(message);
      handshake = post(call, {}).then((outcome) => settle(call, outcome));
      return handshake;
    }
    if (message.method === 'notifications/initialized') {
      handshake = handshake.then(() => session.confirmed());
      return handshake;
    }
    return handshake.then(() => inSession(call));
  }

  async function inSession(call: Call): Promise<void> {
    const missing = await session.ready();
    if (missing) return settle(call, missing);
    const used = session.id();
    const outcome = await post(call, session.headers());
    if (outcome.kind !== 'answered' || outcome.status !== 404 || used === undefined) return settle(call, outcome);
    const failed = await session.restore(used);
    return settle(call, failed ?? (await post(call, session.headers())));
  }

  function post(call: Call, headers: Record<string, string>): Promise<Outcome> {
    return send({
      method: 'POST',
      headers: { ...POST_HEADERS, ...headers },
      body: call.body,
      signal: call.stop.signal,
      onHeaders: (received) => {
        call.received = received;
      },
      onEvent: (data) => deliver(call, data),
    });
  }

  /** Passes on the server's answer to a call. */
  async function deliver(call: Call, json: string): Promise<void> {
    if (call.stop.signal.aborted) return;
    const value = parseJson(json);
    for (const { id, method, result } of messagesIn(value)) {
      const request = isId(id) && method === undefined ? call.owed.get(id) : undefined;
      if (!request || !isId(id)) continue;
      call.owed.delete(id);
      if (claimedVersion(request) !== undefined || !isRecord(result)) continue;
      if (request.method === 'initialize') session.began(call.received ?? {}, result);
      else session.done(request);
    }
    await write(json.includes('\n') ? JSON.stringify(value) : json);
  }

  /** The server has closed the stream: remaining requests are answered here. */
  async function settle(call: Call, outcome: Outcome): Promise<void> {
    if (call.stop.signal.aborted || call.owed.size === 0) return;
    const text = outcome.kind === 'answered' ? outcome.text : '';
    const value = parseJson(text);
    if (messagesIn(value).some(({ id }) => isId(id) && call.owed.has(id))) await deliver(call, text);
    const trouble = troubleOf(outcome, url);
    if (trouble && call.owed.size > 0) complain(trouble);
    for (const [id, message] of call.owed) {
      const answer = trouble ? await offlineAnswer(message, trouble, only) : { error: errorIn(value, outcome) };
      if (trouble) listedOffline.add(String(message.method));
      await write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    }
    call.owed.clear();
  }

  /**
   * Cancels a request without a session, or returns that there is none; in a session the server is notified instead.
   */
  function cancel(id: unknown): boolean {
    if (!isId(id)) return false;
    for (const { owed, stop: stopCall } of calls.values()) {
      const request = owed.get(id);
      if (!request) continue;
      if (claimedVersion(request) === undefined) {
        owed.delete(id);
        return false;
      }
      stopCall.abort();
      return true;
    }
    return false;
  }

  function sayListsChanged(): void {
    for (const list of ['tools', 'resources', 'prompts']) {
      if ([...listedOffline].some((method) => method.startsWith(`${list}/`) && method.endsWith('/list')))
        void write(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }));
    }
    listedOffline.clear();
  }

  function complain(trouble: string): void {
    if (!complained) stderr.write(`switchboard: ${visible(trouble)}\n`);
    complained = true;
  }

  function refusePiece(piece: Buffer): void {
    if (piece.at(-1) === 0x0a) void write(failure(null, -32600, 'Invalid Request: this line is too long.'));
  }

  async function write(line: string): Promise<void> {
    if (stdout.write(`${jsonLine(line)}\n`)) return;
    await Promise.race([new Promise((resolve) => stdout.once('drain', resolve)), deaf]);
  }

  /** Pending requests are answered; open listeners are ended. */
  async function drain(): Promise<void> {
    for (const { owed, stop: stopCall } of calls.values()) {
      if ([...owed.values()].some(({ method }) => method === 'subscriptions/listen')) stopCall.abort();
    }
    await Promise.all(calls.keys());
    await new Promise<void>((resolve) => stdout.write('', () => resolve()));
  }
}

function requestsIn(messages: readonly Message[]): Map<RequestId, Message> {
  return new Map(
    messages.flatMap((message): [RequestId, Message][] =>
      isId(message.id) && message.method !== undefined ? [[message.id, message]] : [],
    ),
  );
}

/** The error of a server that did not name the refused request. A text code is one of REST, not of MCP. */
function errorIn(value: unknown, outcome: Outcome): unknown {
  const error = isRecord(value) && isRecord(value.error) ? value.error : {};
  if (Number.isInteger(error.code)) return error;
  if (typeof error.code === 'string' && typeof error.message === 'string') {
    return { code: -32603, message: error.message, data: { code: error.code, reason: 'refused' } };
  }
  const status = outcome.kind === 'answered' ? outcome.status : 0;
  const message = `The server answered this request with HTTP status ${status} and no message of MCP.`;
  return { code: -32603, message, data: { code: 'SERVICE_UNAVAILABLE', reason: 'not_mcp' } };
}

function failure(id: null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
