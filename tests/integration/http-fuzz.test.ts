import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc, { type Arbitrary } from 'fast-check';
import { createRest } from '../../src/http/rest.ts';
import type { ClientAccess } from '../../src/mcp/connection.ts';
import { createMcpHttp } from '../../src/mcp/http.ts';
import { createSse } from '../../src/mcp/sse.ts';
import { openDoorParts } from '../conformance/serve.ts';
import { openHttpDoor, type RawAnswer, rawRequest } from '../support/http/door.ts';
import { hostileMessage } from '../support/mcp/hostile-messages.ts';
import { openSession, standardHeaders } from '../support/mcp/rpc-http.ts';
import { smallOffer } from '../support/mcp/small-offer.ts';

const REQUESTS = process.env.SOAK ? 20_000 : 2_000;
const AT_ONCE = 4;
const LIMIT = 64 * 1024;
/** Generous: only a hang takes this long. */
const HANG_MS = process.env.SOAK ? 1_800_000 : 240_000;

test('MCP over HTTP answers any body with any headers', { timeout: HANG_MS }, async (context) => {
  const url = await serve(context);
  const session = await openSession(`${url}/mcp`);
  const posted = fc.array(postTo(session.id), { minLength: AT_ONCE, maxLength: AT_ONCE });

  await fc.assert(
    fc.asyncProperty(posted, async (together) => {
      const sent = together.map((one) =>
        rawRequest(url, { method: 'POST', path: '/mcp', ...one, beginningOnly: true }),
      );

      for (const answer of await Promise.all(sent)) checkAnswer(answer);
    }),
    { numRuns: REQUESTS / AT_ONCE },
  );

  assert.ok((await session.call('tools/list')).result);
});

test('REST answers any request', { timeout: HANG_MS }, async (context) => {
  const url = await serve(context);
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS');
  const path = fc.oneof(
    fc.constantFrom(
      '/echo/1',
      '/echo/many',
      '/echo/%',
      '/fail',
      '/fail?how=gently',
      '/echo/__proto__',
      '/',
      '//',
      '/..',
    ),
    fc.webPath(),
    fc.webQueryParameters().map((query) => `/fail?${query}`),
    fc.constantFrom('constructor', '__proto__', 'toString').map((name) => `/fail?${name}=1&how=gently`),
  );

  await fc.assert(
    fc.asyncProperty(method, path, body, async (verb, where, sent) => {
      checkAnswer(await rawRequest(url, { method: verb, path: `/api/v1${where}`, body: sent }));
    }),
    { numRuns: Math.ceil(REQUESTS / 3) },
  );
});

/** The program's HTTP server without authentication, with a small set of operations. */
async function serve(context: TestContext): Promise<string> {
  const { registry, capability, pipeline } = smallOffer();
  const { parts, close } = await openDoorParts({ maxLineBytes: LIMIT });
  const mcp = createMcpHttp({ ...parts, sessionIdleMs: 60_000, maxSessions: 50, maxSessionsPerToken: 50 });
  const sse = createSse(parts);
  const access = (principal: ClientAccess['principal']): ClientAccess => ({ registry, principal, only: [] });
  context.after(close);
  const { url } = await openHttpDoor(
    context,
    {
      mcp: (request, response, principal) => mcp.handle(request, response, access(principal)),
      sse: (response, principal) => sse.listen(response, access(principal)),
      messages: (request, response, principal) => sse.post(request, response, access(principal)),
      rest: createRest([capability], pipeline, () => LIMIT),
    },
    {},
    async () => {
      await Promise.all([mcp.close(), sse.close()]);
    },
  );
  return url;
}

function checkAnswer({ status, headers, text }: RawAnswer): void {
  assert.ok(status >= 200 && status < 600 && status !== 500, `${status} ${text}`);
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/json')) assert.doesNotThrow(() => JSON.parse(text));
  else if (!type.startsWith('text/event-stream')) assert.equal(text, '', type);
}

const body = fc.oneof(
  { weight: 8, arbitrary: hostileMessage.map((message) => Buffer.from(JSON.stringify(message) ?? '')) },
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom('', '{', 'null', `"${'x'.repeat(LIMIT)}"`, `${'['.repeat(20_000)}${']'.repeat(20_000)}`)
    .map((text) => Buffer.from(text)),
);

interface Post {
  body: Buffer;
  headers: Record<string, string>;
}

/** Mostly with the headers that such a message requires, so that it gets past the header check. */
function postTo(session: string): Arbitrary<Post> {
  const right = hostileMessage.map((message) => ({
    body: Buffer.from(JSON.stringify(message) ?? ''),
    headers: { ...ACCEPT, ...(claims(message) ? standardHeaders(message) : { 'mcp-session-id': session }) },
  }));
  const wrong = fc.record({ body, headers: fc.record(strangeHeaders(session), { requiredKeys: [] }) });
  return fc.oneof({ weight: 3, arbitrary: right }, wrong);
}

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Whether the name can be repeated in a header: a header allows fewer characters than a hostile name has. */
function claims(message: unknown): message is { method: string } {
  const { method, params } = Object(message);
  const { name, uri, _meta: meta } = Object(params);
  return (
    meta !== undefined && fitsHeader(method) && [name, uri].every((text) => text === undefined || fitsHeader(text))
  );
}

function fitsHeader(text: unknown): boolean {
  return typeof text === 'string' && /^[\x21-\x7e]+$/.test(text);
}

function strangeHeaders(session: string) {
  const strange = fc.stringMatching(/^[\x21-\x7e\xa0-\xff]{0,20}$/);
  return {
    'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', ''),
    accept: fc.constantFrom('application/json, text/event-stream', 'application/json', 'text/event-stream', '*/*', 'x'),
    'mcp-session-id': fc.oneof({ weight: 4, arbitrary: fc.constant(session) }, strange),
    'mcp-protocol-version': fc.oneof(fc.constantFrom('2025-11-25', '2024-11-05', '2026-07-28'), strange),
    'mcp-method': fc.oneof(fc.constantFrom('tools/call', 'tools/list', 'subscriptions/listen'), strange),
    'mcp-name': fc.oneof(fc.constantFrom('echo', 'small://one', 'ask'), strange),
    'last-event-id': strange,
  };
}
