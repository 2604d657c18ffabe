import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const RUNS = process.env.SOAK ? 50_000 : 2_000;
const AT_ONCE = 16;
/** Requests without an end, and streams, stay open. */
const ANSWER_MS = 100;
const HOST = 'Host: localhost\r\n';
const LAST = `${HOST}Connection: close\r\n`;
/** Headers that every answer with content has. */
const PROTECTED = /\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\nx-frame-options: DENY\r\n/;
const folder = temporaryFolder(after);

let program: Awaited<ReturnType<typeof startHttp>>;

before(async () => {
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), 'limits: { connect_timeout_ms: 1000 }\n', { mode: 0o600 });
  program = await startHttp({ home });
});
after(() => program.stop());

/** What is answered to these bytes until the server closes the connection, or for so long. */
async function answersTo(bytes: string | Buffer, waitMs = 10_000): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(program.base).port) });
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => {});
  socket.write(bytes, 'latin1');
  const patience = setTimeout(() => socket.destroy(), waitMs);
  await new Promise((resolve) => socket.once('close', resolve));
  clearTimeout(patience);
  return Buffer.concat(received).toString('latin1');
}

async function checkRunning(): Promise<void> {
  assert.match(await answersTo(`GET /healthz HTTP/1.1\r\n${LAST}\r\n`), /^HTTP\/1\.1 200 .*\{"status":"ok"\}$/s);
}

const REFUSED: Record<string, [request: string, status: number]> = {
  'no Host': ['GET / HTTP/1.1\r\n\r\n', 400],
  'no Host, and a body': ['POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}', 400],
  'no Host, without an answer to show': ['HEAD / HTTP/1.1\r\n\r\n', 400],
  'no Host, and a wait for 100': ['POST /mcp HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}', 400],
  'no Host in HTTP/1.0': ['GET / HTTP/1.0\r\n\r\n', 403],
  'an empty Host': ['GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 403],
  'an unknown expectation': [`POST /mcp HTTP/1.1\r\n${LAST}Expect: tea\r\nContent-Length: 2\r\n\r\n{}`, 417],
  'a wait for 100': [`POST /mcp HTTP/1.1\r\n${LAST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`, 415],
  'a path of all': [`OPTIONS * HTTP/1.1\r\n${LAST}\r\n`, 404],
};

describe('a request that is refused', () => {
  for (const [what, [request, status]] of Object.entries(REFUSED)) {
    test(`${what}: ${status}, with the headers of every answer`, async () => {
      const [head = ''] = (await answersTo(request)).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n');

      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(`${head}\r\n`, PROTECTED);
      await checkRunning();
    });
  }

  test('an offer of another protocol is ignored', async () => {
    const answer = await answersTo(
      `GET /healthz HTTP/1.1\r\n${HOST}Connection: upgrade, close\r\nUpgrade: h2c\r\n\r\n`,
    );

    assert.match(answer, /^HTTP\/1\.1 200 /);
  });

  test('in a pipeline: the others are answered', async () => {
    const good = `GET /healthz HTTP/1.1\r\n${HOST}\r\n`;
    const answer = await answersTo(`${good}${good}GET / HTTP/1.1\r\n\r\n`);

    assert.deepEqual(answer.match(/(?<=HTTP\/1\.1 )\d+/g), ['200', '200', '400']);
    await checkRunning();
  });
});

const HEADERS_TOO_LARGE = `X: ${'x'.repeat(20_000)}\r\n`;
const UNREADABLE: Record<string, [bytes: string | Buffer, status: number | undefined]> = {
  'no HTTP': ['hello\r\n\r\n', 400],
  'an unknown method': [`BREW / HTTP/1.1\r\n${HOST}\r\n`, 400],
  'another version': [`GET / HTTP/3.0\r\n${HOST}\r\n`, 400],
  'HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  TLS: [Buffer.from('16030100a5010000a10303', 'hex'), 400],
  'two lengths': [`POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`, 400],
  'headers that are too large': [`GET / HTTP/1.1\r\n${HOST}${HEADERS_TOO_LARGE}\r\n`, 431],
  'chunk extensions that are too large': [
    `POST /mcp HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    413,
  ],
  'a tunnel': [`CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`, undefined],
};

describe('what cannot be read as a request', () => {
  for (const [what, [bytes, status]] of Object.entries(UNREADABLE)) {
    test(`${what}: an answer without content, and the connection is closed`, async () => {
      const answer = await answersTo(bytes);

      const expected =
        status === undefined ? /^$/ : new RegExp(`^HTTP/1\\.1 ${status} [^\\r]+\\r\\nConnection: close\\r\\n\\r\\n$`);
      assert.match(answer, expected);
      await checkRunning();
    });
  }

  test('a head that does not end in time: 408', async () => {
    const answer = await answersTo(`GET / HTTP/1.1\r\n${HOST}`);

    assert.match(answer, /^HTTP\/1\.1 408 /);
    await checkRunning();
  });
});

const token = fc.stringMatching(/^[\x21-\x7e]{0,12}$/);
const line = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE') },
      token,
    ),
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom('/', '/mcp', '/sse', '/messages', '/healthz', '/api/v1/status', '*', '//'),
      },
      fc.webPath(),
      fc.constantFrom('http://localhost/mcp', 'localhost:1', '/\\', '/%', '/?x=%', '/api/v1/sessions/%00'),
      token,
    ),
    fc.oneof(
      { weight: 6, arbitrary: fc.constant('HTTP/1.1') },
      fc.constantFrom('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', ''),
    ),
  )
  .map((parts) => `${parts.join(' ')}\r\n`);
const header = fc.oneof(
  { weight: 4, arbitrary: fc.constant('Host: localhost') },
  fc.constantFrom(
    'Host:',
    'Host: a b',
    'Expect: 100-continue',
    'Expect: x',
    'Connection: close',
    'Connection: upgrade',
    'Upgrade: websocket',
    'Content-Length: 2',
    'Content-Length: 200',
    'Content-Length: -1',
    'Transfer-Encoding: chunked',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'Mcp-Session-Id: none',
    'Last-Event-ID: x',
    'Origin: null',
    'Origin: http://localhost',
    'Access-Control-Request-Method: GET',
    'Authorization: Bearer x',
    'Trailer: X',
    ' folded',
  ),
  fc.tuple(token, fc.stringMatching(/^[\x01-\xff]{0,20}$/)).map(([name, value]) => `${name}: ${value}`),
);
const body = fc.constantFrom('', '{}', '2\r\n{}\r\n0\r\n\r\n', '0\r\nX: y\r\n\r\n', 'x'.repeat(300), '[', '\0');
const rawRequest = fc
  .tuple(line, fc.array(header, { maxLength: 6 }), body)
  .map(([first, headers, rest]) => `${first}${headers.map((each) => `${each}\r\n`).join('')}\r\n${rest}`);

test('no bytes end the process', { timeout: process.env.SOAK ? 1_800_000 : 240_000 }, async () => {
  const bytes = fc.oneof(
    { weight: 5, arbitrary: fc.array(rawRequest, { minLength: 1, maxLength: 4 }).map((requests) => requests.join('')) },
    fc.uint8Array({ maxLength: 200 }).map((given) => Buffer.from(given)),
  );
  const together = fc.array(bytes, { minLength: AT_ONCE, maxLength: AT_ONCE });

  await fc.assert(
    fc.asyncProperty(together, async (sent) => {
      const answers = await Promise.all(sent.map((each) => answersTo(each, ANSWER_MS)));

      for (const answer of answers) assert.doesNotMatch(answer, /HTTP\/1\.1 500 /);
      await checkRunning();
    }),
    { numRuns: RUNS / AT_ONCE },
  );
  assert.deepEqual(
    program.log.filter((entry) => entry.includes('"level":"error"')),
    [],
  );
});
