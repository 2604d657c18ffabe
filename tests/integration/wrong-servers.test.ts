import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { openConnection as openIrc } from '../../src/connectors/irc/connection.ts';
import { USUAL_PACE } from '../../src/connectors/irc/pace.ts';
import { openConnection as openMatrix } from '../../src/connectors/matrix/connection.ts';
import { openConnection as openSignal } from '../../src/connectors/signal/connection.ts';
import { openConnection as openXmpp } from '../../src/connectors/xmpp/connection.ts';
import { ROOM_LIMITS } from '../../src/connectors/xmpp/rooms.ts';
import { LIMITS } from '../../src/connectors/xmpp/stream.ts';
import { AppError } from '../../src/domain/errors.ts';
import { runRecorded } from '../support/connectors/recording-host.ts';
import { startTlsProxy } from '../support/http/tls-proxy.ts';

const SIGN_IN_MS = 1_000;

/** Each network, asked to use the server on this port without TLS. */
const NETWORKS = {
  irc: (port: number) =>
    runRecorded((settings, host) => openIrc(settings, host, { ...USUAL_PACE, signInMs: SIGN_IN_MS }), {
      ...{ host: '127.0.0.1', port, tls: false, ca: undefined, nick: 'alice', channels: [] },
    }),
  xmpp: (port: number) =>
    runRecorded((settings, host) => openXmpp(settings, host, { ...LIMITS, ...ROOM_LIMITS, signInMs: SIGN_IN_MS }), {
      ...{ jid: 'alice@127.0.0.1', password: 'x', service: `xmpp://127.0.0.1:${port}`, tls: false, rooms: [] },
    }),
  matrix: (port: number) =>
    runRecorded(openMatrix, { homeserver: `http://127.0.0.1:${port}`, access_token: 'token', rooms: [] }),
  'signal over TCP': (port: number) =>
    runRecorded(openSignal, { endpoint: `tcp://127.0.0.1:${port}`, folder: '/nowhere' }),
  'signal over HTTP': (port: number) =>
    runRecorded(openSignal, { endpoint: `http://127.0.0.1:${port}`, folder: '/nowhere' }),
};
type Network = keyof typeof NETWORKS;

const http = (status: string, body: string) => (socket: Socket) =>
  socket.once('data', () => {
    const head = `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\nConnection: close`;
    socket.end(`${head}\r\n\r\n${body}`);
  });
const SERVERS = {
  'that speaks IRC': (socket: Socket) => socket.write(':irc.example NOTICE * :*** Looking up your hostname...\r\n'),
  'that speaks XMPP': (socket: Socket) =>
    socket.once('data', () => {
      const error = '<not-well-formed xmlns="urn:ietf:params:xml:ns:xmpp-streams"/>';
      const root = '<stream:stream xmlns:stream="http://etherx.jabber.org/streams">';
      socket.end(`<?xml version='1.0'?>${root}<stream:error>${error}</stream:error></stream:stream>`);
    }),
  'that speaks SMTP': (socket: Socket) => {
    socket.write('220 mail.example ESMTP\r\n');
    socket.on('data', () => socket.write('500 5.5.1 Command unrecognized\r\n'));
  },
  'of web pages': http('200 OK', '<!doctype html><title>Welcome</title>'),
  'of files only': http('501 Unsupported method', 'Unsupported method'),
  'that wants TLS, and says so over HTTP': http('400 Bad Request', 'The plain HTTP request was sent to HTTPS port'),
  'whose program is down': http('502 Bad Gateway', 'Bad Gateway'),
  'of TLS that answers with an alert': (socket: Socket) =>
    socket.once('data', () => socket.end(Buffer.from('15030100020246', 'hex'))),
  'that closes at once': (socket: Socket) => socket.destroy(),
  'that closes after the first bytes': (socket: Socket) => socket.once('data', () => socket.end()),
  'that stays silent': (socket: Socket) => socket.resume(),
};
type Kind = keyof typeof SERVERS;

const NOT: Record<Network, RegExp> = {
  irc: /^The server on this port is not an IRC server: check `port` and `tls`\.$/,
  xmpp: /^The server on this port is not an XMPP server: check `service`\.$/,
  matrix: /^(There is no Matrix homeserver at this address\.|The server does not speak HTTP at this address: .*)$/,
  'signal over TCP': /^The server on this port is not signal-cli: check `endpoint`\.$/,
  'signal over HTTP':
    /^The server (on this port is not signal-cli|does not speak HTTP at this address): check `endpoint`\.$/,
};
const TLS = /^The server expects TLS on this port: check /;
const CLOSES =
  /^The server closes the connection without an answer\. It may be down(, not be .*, or expect TLS| or not be signal-cli): check /;
const SILENT = /^The server on this port does not answer as an .* does: check /;
const DOWN = /answers with status 502\.$/;

/** What is said of a server that is not simply another one. */
const SPECIAL: Partial<Record<Kind, RegExp>> = {
  'of TLS that answers with an alert': TLS,
  'that closes at once': CLOSES,
  'that closes after the first bytes': CLOSES,
  'that stays silent': SILENT,
};
const SPEAKS: Partial<Record<Kind, Network>> = { 'that speaks IRC': 'irc', 'that speaks XMPP': 'xmpp' };

for (const [network, connect] of Object.entries(NETWORKS) as [
  Network,
  (port: number) => ReturnType<typeof runRecorded>,
][]) {
  const reason = async (context: TestContext, port: number): Promise<string> => {
    const run = connect(port);
    context.after(() => run.stop());
    const end = await run.ended;
    if (end instanceof AppError) return end.message;
    const { kind, reason: words } = (end ?? {}) as { kind?: string; reason?: string };
    assert.equal(kind, 'rejected', String(end));
    return words ?? '';
  };

  describe(`${network}: the reason says what is wrong with a server`, () => {
    for (const [what, serve] of Object.entries(SERVERS) as [Kind, (socket: Socket) => void][]) {
      if (SPEAKS[what] === network) continue;
      // These wait for an answer for minutes, as they do for a busy server.
      if (what === 'that stays silent' && !['irc', 'xmpp'].includes(network)) continue;
      test(what, async (context) => {
        const isDown = what === 'whose program is down' && /matrix|HTTP/.test(network);

        const words = await reason(context, await listening(context, serve));

        assert.match(words, isDown ? DOWN : (SPECIAL[what] ?? NOT[network]));
      });
    }

    test('that expects TLS', async (context) => {
      const { url } = await startTlsProxy(context, 'http://127.0.0.1:1');

      const words = await reason(context, Number(new URL(url).port));

      assert.match(words, new RegExp(`${TLS.source}|${CLOSES.source}`));
    });
  });
}

async function listening(context: TestContext, serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    serve(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
