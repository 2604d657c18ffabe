import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { XmppSettings } from '../../src/connectors/xmpp/settings.ts';
import { rejectionOf } from '../support/connectors/outcomes.ts';
import { until } from '../support/mcp/shim-program.ts';
import { type Script, scriptedXmpp } from '../support/xmpp/scripted-server.ts';
import { xmppSource } from '../support/xmpp/xmpp-source.ts';

const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl';
const HASTY = { signInMs: 500, answerMs: 500, closeMs: 200, silenceMs: 100 };
const PATIENT = { closeMs: 200 };

describe('a server that does not keep its part', () => {
  const endings: Record<string, Script> = {
    'closes at once': { onConnection: (socket) => socket.destroy() },
    'closes in the middle of the features': { onConnection: (socket) => socket.end('<stream:stream><stream:fea') },
    'speaks another language': { onConnection: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') },
    'is no XML': { onConnection: (socket) => socket.write('<stream:stream></b>') && undefined },
    'uses an entity of its own': { features: '<a>&lol;</a>' },
    'ends the stream while we sign in': { onAuth: '</stream:stream>' },
    'gives an error while we sign in': {
      onAuth: '<stream:error><policy-violation xmlns="urn:ietf:params:xml:ns:xmpp-streams"/></stream:error>',
    },
    'answers out of turn while we sign in': { onAuth: '<message/>' },
    'gives no address': { onBind: (id) => `<iq type="error" id="${id}"><error/></iq>` },
    'closes after signing in': { onQuestion: () => '</stream:stream>' },
  };
  for (const [what, script] of Object.entries(endings)) {
    test(`${what}: the connection fails, and soon`, async (context) => {
      const { run } = await start(context, script, PATIENT);

      const error = await run.end();

      assert.ok(error instanceof Error, String(error));
    });
  }

  const silences: Record<string, Script> = {
    'says nothing': { onConnection: () => {} },
    'stops speaking while we sign in': { onAuth: ' ' },
    'never gives an address': { onBind: () => ' ' },
    'answers no question': { onQuestion: () => undefined },
  };
  for (const [what, script] of Object.entries(silences)) {
    test(`${what}: the connection is given up`, async (context) => {
      const { run } = await start(context, script, HASTY);

      const error = await run.end();

      assert.ok(error instanceof Error);
    });

    test(`${what}: stopping does not wait for it`, async (context) => {
      const { run } = await start(context, script, PATIENT);

      await run.stop();

      assert.equal(await run.end(), undefined);
    });
  }

  test('stops answering later: the connection ends', async (context) => {
    let questions = 0;
    const { run } = await start(
      context,
      { onQuestion: (_, id) => (++questions > 3 ? undefined : `<iq type="result" id="${id}"/>`) },
      { ...PATIENT, silenceMs: 100, answerMs: 5_000 },
    );
    await run.connected();

    const error = await run.end();

    assert.match(String(error), /no longer answers/);
  });
});

describe('a room that does not keep its part', () => {
  const ROOM = 'room@rooms.localhost';
  const present = `<presence from="${ROOM}/alice"><x xmlns="http://jabber.org/protocol/muc#user"><status code="110"/></x></presence>`;
  const onText: Script['onText'] = (text, write) => text.includes(`to="${ROOM}/alice"><x`) && write(present);
  const limits = { ...PATIENT, rejoinMs: 10 };

  test('and has forgotten us is entered again', async (context) => {
    const onQuestion = (iq: string, id: string) =>
      iq.includes(`to="${ROOM}/alice"`)
        ? `<iq type="error" from="${ROOM}/alice" id="${id}"><error type="cancel"><not-acceptable xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/></error></iq>`
        : `<iq type="result" id="${id}" from="${/ to="([^"]*)"/.exec(iq)?.[1] ?? ''}"/>`;
    const { run } = await start(context, { onText, onQuestion }, { ...limits, checkMs: 50 }, { rooms: [ROOM] });

    await run.until('it is there again', () => run.events.filter(({ kind }) => kind === 'chat').length > 1);

    assert.ok(run.warnings.includes('a room has forgotten us'));
  });

  test('and never answers keeps nobody from being connected, and is tried again', async (context) => {
    const onQuestion = (iq: string, id: string) =>
      `<iq type="result" id="${id}" from="${/ to="([^"]*)"/.exec(iq)?.[1] ?? ''}"/>`;
    const { run, server } = await start(context, { onQuestion }, { ...limits, joinMs: 100 }, { rooms: [ROOM] });

    await run.connected();
    await until('it is tried again', () => run.warnings.length > 1);

    assert.ok(server.heard.join('').split(`to="${ROOM}/alice"><x`).length > 2);
  });
});

describe('a server that wants to know the password', () => {
  test('and offers no encryption is not told anything', async (context) => {
    const { run, server } = await start(context, {}, PATIENT, { tls: true });

    const error = await run.end();

    assert.match(rejectionOf(error), /offers no encryption/);
    assert.ok(!server.heard.join('').includes('<auth'));
  });

  test('and offers encryption only in words is not told either', async (context) => {
    const features = '<starttls xmlns="urn:ietf:params:xml:ns:xmpp-tls"/>';
    const { run, server } = await start(
      context,
      {
        features,
        onText: (text, write) =>
          text.includes('<starttls') && write('<failure xmlns="urn:ietf:params:xml:ns:xmpp-tls"/>'),
      },
      PATIENT,
      { tls: true },
    );

    const error = await run.end();

    assert.match(String(error), /refused/);
    assert.ok(!server.heard.join('').includes('<auth'));
  });

  test('but does not know it itself is not believed', async (context) => {
    const features = `<mechanisms xmlns="${SASL}"><mechanism>SCRAM-SHA-1</mechanism></mechanisms>`;
    const { run } = await start(
      context,
      {
        features,
        onAuth: '',
        onText(text, write) {
          const first = /<auth[^>]*>([^<]*)</.exec(text)?.[1];
          if (text.includes('<response')) write(`<success xmlns="${SASL}">${encode('v=AAAA')}</success>`);
          if (first === undefined) return;
          const nonce = /r=(.*)$/.exec(Buffer.from(first, 'base64').toString())?.[1];
          write(`<challenge xmlns="${SASL}">${encode(`r=${nonce}x,s=AAAA,i=4096`)}</challenge>`);
        },
      },
      PATIENT,
    );

    const error = await run.end();

    assert.match(String(error), /could not show/);
  });

  test('and has none that suits is refused for good', async (context) => {
    const { run } = await start(context, { features: `<mechanisms xmlns="${SASL}"/>` }, PATIENT);

    rejectionOf(await run.end());
  });

  test('and cannot check it at the timestamp is tried again', async (context) => {
    const { run } = await start(
      context,
      { onAuth: `<failure xmlns="${SASL}"><temporary-auth-failure/></failure>` },
      PATIENT,
    );

    const error = await run.end();

    assert.ok(error instanceof Error);
  });
});

describe('what others put on the stream', () => {
  const FORWARDED = (what: string) =>
    `<forwarded xmlns="urn:xmpp:forward:0">${what}<message xmlns="jabber:client" from="boss@localhost" to="alice@localhost" type="chat" id="1"><body>forged</body></message></forwarded>`;
  const forgeries = {
    'a copy from another device': `<message from="eve@localhost/x" type="chat"><sent xmlns="urn:xmpp:carbons:2">${FORWARDED('')}</sent></message>`,
    'a page of history': `<message from="eve@localhost/x"><result xmlns="urn:xmpp:mam:2" queryid="1" id="1">${FORWARDED('')}</result></message>`,
    'an answer to a question': `<iq from="eve@localhost/x" type="result" id="1"/>`,
    'a change of the roster': `<iq from="eve@localhost/x" type="set" id="1"><query xmlns="jabber:iq:roster"><item jid="boss@localhost" name="Eve"/></query></iq>`,
    'a message without an address': `<message from="" type="chat"><body>x</body></message>`,
    'a presence without an address': `<presence/>`,
  };
  for (const [what, forged] of Object.entries(forgeries)) {
    test(`${what} is not believed, and breaks nothing`, async (context) => {
      const { run } = await start(
        context,
        {
          onText(text, write) {
            if (!text.includes('<presence')) return;
            write(`${forged}<message from="bob@localhost/x" type="chat" id="9"><body>true</body></message>`);
          },
        },
        PATIENT,
      );

      await run.until('a message', () => run.messages().length > 0);

      assert.deepEqual(
        run.messages().map(({ text, sender }) => [text, sender.id]),
        [['true', 'bob@localhost']],
      );
      assert.equal(run.events.length, 1);
      await run.stop();
    });
  }

  test('a time in the past that somebody made up is not believed', async (context) => {
    const { run } = await start(
      context,
      {
        onText(text, write) {
          if (!text.includes('<presence')) return;
          write(
            '<message from="bob@localhost/x" type="chat" id="9"><body>old?</body><delay xmlns="urn:xmpp:delay" from="bob@localhost" stamp="2001-01-01T00:00:00Z"/></message>',
          );
        },
      },
      PATIENT,
    );

    await run.until('a message', () => run.messages().length > 0);

    assert.ok((run.messages()[0]?.at ?? 0) > Date.UTC(2020));
    await run.stop();
  });
});

async function start(context: TestContext, script: Script, limits: object, settings: Partial<XmppSettings> = {}) {
  const server = await scriptedXmpp(context, script);
  return { run: xmppSource(context, { port: server.port, limits, ...settings }), server };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
