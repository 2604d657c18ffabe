import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { daemonAddress } from '../../src/lib/daemon-address.ts';
import { version } from '../../src/lib/version.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { ACCEPT, openSession, post, standardHeaders } from '../support/mcp/rpc-http.ts';
import { initializeParams, notification, request, stateless } from '../support/mcp/rpc-message.ts';
import { removeHome, until } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';
const ALL_STREAMS = ['events', 'session', 'sse', 'listen'];
const folder = temporaryFolder(after);

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const entry = (name: string, token: string, scopes: string[]) =>
  `{ name: ${name}, token_hash: ${sha256(token)}, scopes: [${scopes.map((scope) => `"${scope}"`).join(', ')}] }`;

describe('what belongs to a token', () => {
  const home = join(folder, 'home');
  const path = join(home, 'config.yaml');
  let server: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    configure([]);
    server = await startHttp({ home });
  });
  after(async () => {
    await server.stop();
    removeHome(home);
  });

  test('a token remade under an old name inherits no session of the old one, which does not exist for it', async () => {
    const old = await addToken('ci', ['system:read', 'system:manage']);
    const session = await openSession(server.url, bearer(old));
    const messages = await sseEndpoint(old);

    await api('DELETE', '/tokens/ci');
    const remade = await addToken('ci', ['system:read']);
    const used = await post(server.url, request('tools/list', undefined, 1), { ...session.headers, ...bearer(remade) });
    const unknown = await post(server.url, request('tools/list', undefined, 1), {
      ...session.headers,
      ...bearer(remade),
      'mcp-session-id': '0'.repeat(session.id.length),
    });
    const posted = await post(`${server.base}${messages}`, request('ping'), bearer(remade));

    assert.deepEqual([used.status, used.body], [404, unknown.body]);
    assert.equal(posted.status, 404);
    const { sessions } = (await api('GET', '/sessions')) as { sessions: { id: string; closed_because?: string }[] };
    assert.equal(sessions.find(({ id }) => id === session.id)?.closed_because, 'token removed');
  });

  test('every stream of a removed token ends, and another token with its name gets none of them', async (context) => {
    const streams = await openStreams(context, server.base, bearer(await addToken('listener', ['system:read'])));

    await api('DELETE', '/tokens/listener');
    await addToken('listener', ['system:read']);

    assert.deepEqual(await ended(streams), ALL_STREAMS);
  });

  test('a narrowed token keeps neither its streams nor its wide sessions', async (context) => {
    await reconfigure([entry('wide', 'wide-token', ['system:read', 'system:manage', 'chat:read'])], 'wide-token');
    const streams = await openStreams(context, server.base, bearer('wide-token'));
    const session = await openSession(server.url, bearer('wide-token'));
    const before = await session.call('resources/read', { uri: 'switchboard://status' });
    const slow = await slowInitialize('wide-token');

    configure([entry('wide', 'wide-token', ['chat:read'])]);
    const streamsEnded = await ended(streams);
    const afterwards = await session.call('resources/read', { uri: 'switchboard://status' });

    assert(before.result);
    assert.deepEqual(streamsEnded, ALL_STREAMS);
    assert(afterwards.error, JSON.stringify(afterwards));
    assert.equal(await slow.finish(), undefined, 'the session that was begun with the wide rights');
  });

  test('a changed auth.token ends the streams of the former owner', async (context) => {
    const streams = await openStreams(context, server.base, bearer(OWNER));
    const session = await openSession(server.url, bearer(OWNER));

    configure([], 'another-owner');
    const streamsEnded = await ended(streams);
    const refused = await session.post(request('tools/list'));
    const inherited = await session.post(request('tools/list'), bearer('another-owner'));
    configure([]);
    await accepted(OWNER);

    assert.deepEqual(streamsEnded, ALL_STREAMS);
    assert.deepEqual([refused.status, inherited.status], [401, 404]);
  });

  test('a token does not live on in a token that it made for itself', async (context) => {
    const maker = await addToken('maker', ['system:read', 'system:manage']);
    const added = await post(`${server.base}/api/v1/tokens`, { name: 'spare', scopes: ['system:read'] }, bearer(maker));
    const { token: spare } = JSON.parse(added.body);
    const streams = await openStreams(context, server.base, bearer(spare));

    await api('DELETE', '/tokens/maker');
    const streamsEnded = await ended(streams);
    const { status } = await fetch(`${server.base}/api/v1/status`, { headers: bearer(spare) });

    assert.deepEqual(streamsEnded, ALL_STREAMS);
    assert.equal(status, 401);
  });

  test('a session of one endpoint does not exist on another', async () => {
    const session = await openSession(server.url, bearer(OWNER));

    const { status } = await post(`${server.url}/chat`, request('tools/list'), session.headers);

    assert.equal(status, 404);
  });

  test('a process with a narrower endpoint does not resume a local session by its id, which is not found for it', async () => {
    const first = attach({});
    first.send(request('initialize', initializeParams('2025-11-25'), 1));
    await until('the session is open', () => first.text().includes('"id":1'));
    const [, id = ''] = /\0session (\S+)/.exec(first.text()) ?? [];
    first.send(notification('notifications/initialized'));
    /** A client with a session is refused another. */
    const isResumed = async (hello: object) => {
      const client = attach(hello);
      client.send(request('initialize', initializeParams('2025-11-25'), 2));
      await until('an answer', () => client.text().includes('"id":2'));
      return client.text().includes('initialized already');
    };

    const narrower = await isResumed({ session: id, only: ['chat'] });
    const unknown = await isResumed({ session: '0'.repeat(id.length), only: ['chat'] });
    const same = await isResumed({ session: id });

    assert.deepEqual({ narrower, unknown, same }, { narrower: false, unknown: false, same: true });
  });

  test('a stored session is resumed by its token only, not by another with its name', async () => {
    await reconfigure([entry('kept', 'kept-token', ['system:read'])], 'kept-token');
    const session = await openSession(server.url, bearer('kept-token'));
    const stolen = await openSession(server.url, bearer('kept-token'));

    await server.stop();
    server = await startHttp({ home });
    const resumed = await post(server.url, request('tools/list'), session.headers);
    await server.stop();
    configure([entry('kept', 'remade-token', ['system:read', 'system:manage'])]);
    server = await startHttp({ home });
    const taken = await post(server.url, request('tools/list'), { ...stolen.headers, ...bearer('remade-token') });

    assert.deepEqual([resumed.status, taken.status], [200, 404]);
  });

  test('the identity of a token is shown nowhere', async () => {
    await openSession(server.url, bearer(OWNER));

    const { sessions } = (await api('GET', '/sessions')) as { sessions: object[] };
    const stream = await fetch(`${server.base}/api/v1/events?after=0&types=session.`, { headers: bearer(OWNER) });
    let events = '';
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      events += chunk;
      if (events.includes('session.initialized')) break;
    }

    assert(!`${JSON.stringify(sessions)}${events}`.includes(sha256(OWNER)));
  });

  function configure(tokens: readonly string[], owner = OWNER): void {
    mkdirSync(home, { recursive: true });
    writeFileSync(`${path}.new`, `auth:\n  token: ${owner}\n  tokens: [${tokens.join(', ')}]\n`);
    renameSync(`${path}.new`, path);
  }

  async function reconfigure(tokens: readonly string[], token: string): Promise<void> {
    configure(tokens);
    await accepted(token);
  }

  async function accepted(token: string): Promise<void> {
    const known = async () => (await fetch(`${server.base}/api/v1/status`, { headers: bearer(token) })).status !== 401;
    await until('the token is accepted', known);
  }

  async function api(method: string, route: string, body?: object): Promise<unknown> {
    const response = await fetch(`${server.base}/api/v1${route}`, {
      method,
      headers: { ...bearer(OWNER), 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    assert.equal(response.status, 200, `${method} ${route}`);
    return response.json();
  }

  async function addToken(name: string, scopes: string[]): Promise<string> {
    const { token } = (await api('POST', '/tokens', { name, scopes })) as { token: string };
    return token;
  }

  /** A local process on the socket of the home. */
  function attach(hello: object) {
    const socket = connect(daemonAddress(home));
    after(() => socket.destroy());
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const send = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
    const { pid, ppid } = process;
    send({ v: 1, door: 'mcp', version: version(), cwd: '/', pid, ppid, env: {}, ...hello });
    return { send, text: () => text };
  }

  async function sseEndpoint(token: string): Promise<string> {
    const { body } = await fetch(`${server.base}/sse`, { headers: bearer(token) });
    const { value } = (await body?.pipeThrough(new TextDecoderStream()).getReader().read()) ?? {};
    return /data: (\S+)/.exec(value ?? '')?.[1] ?? '';
  }

  /** Begins a session, but holds back the end of the request. */
  async function slowInitialize(token: string) {
    const body = JSON.stringify(request('initialize', initializeParams('2025-11-25')));
    const headers = {
      ...bearer(token),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    const sent = httpRequest(server.url, { method: 'POST', headers });
    const answered = new Promise<string | undefined>((resolve) => {
      sent.once('response', ({ headers: got }) => resolve(String(got['mcp-session-id'])));
      sent.once('error', () => resolve(undefined));
    });
    await new Promise((resolve) => sent.write(body.slice(0, -1), resolve));
    return {
      finish: () => {
        sent.end(body.slice(-1));
        return answered;
      },
    };
  }
});

describe('a server without a token', () => {
  test('a stream opened before the first token was set ends when one is set, and so does its session', async (context) => {
    const home = join(folder, 'open');
    const server = await startHttp({ home });
    context.after(async () => {
      await server.stop();
      removeHome(home);
    });
    const streams = await openStreams(context, server.base, {});
    const session = await openSession(server.url);

    const added = await fetch(`${server.base}/api/v1/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'first', scopes: ['system:read', 'system:manage'] }),
    });
    const { token } = (await added.json()) as { token: string };
    const streamsEnded = await ended(streams);
    const refused = await session.post(request('tools/list'));
    const inherited = await session.post(request('tools/list'), bearer(token));

    assert.equal(added.status, 200);
    assert.deepEqual(streamsEnded, ALL_STREAMS);
    assert.deepEqual([refused.status, inherited.status], [401, 404]);
  });
});

type Streams = Record<string, Response>;

/** One stream of each kind. */
async function openStreams(context: TestContext, base: string, headers: Record<string, string>): Promise<Streams> {
  const stop = new AbortController();
  context.after(() => stop.abort());
  const open = (path: string, init: RequestInit) => fetch(`${base}${path}`, { ...init, signal: stop.signal });
  const session = await openSession(`${base}/mcp`, headers);
  const message = request('subscriptions/listen', stateless({ notifications: { toolsListChanged: true } }));
  const listening = { ...headers, ...ACCEPT, ...standardHeaders(message) };
  const streams = {
    events: await open('/api/v1/events', { headers }),
    session: await open('/mcp', { headers: { ...session.headers, accept: 'text/event-stream' } }),
    sse: await open('/sse', { headers }),
    listen: await open('/mcp', { method: 'POST', headers: listening, body: JSON.stringify(message) }),
  };
  for (const [name, { status, headers: got }] of Object.entries(streams)) {
    assert.deepEqual([status, got.get('content-type')], [200, 'text/event-stream'], name);
  }
  return streams;
}

/** Resolves when all have ended. */
async function ended(streams: Streams): Promise<string[]> {
  const names = Object.entries(streams).map(async ([name, stream]) => {
    await stream.text().catch(() => {});
    return name;
  });
  return Promise.all(names);
}
