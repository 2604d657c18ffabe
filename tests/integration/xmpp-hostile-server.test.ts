import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { XmppSettings } from '../../src/connectors/xmpp/settings.ts';
import { AppError } from '../../src/domain/errors.ts';
import { rejectionOf } from '../support/connectors/outcomes.ts';
import { until } from '../support/mcp/shim-program.ts';
import { type Script, scriptedXmpp } from '../support/xmpp/scripted-server.ts';
import { xmppSource } from '../support/xmpp/xmpp-source.ts';

const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl';
const HASTY = { signInMs: 500, answerMs: 500, closeMs: 200, silenceMs: 100 };
const PATIENT = { closeMs: 200 };

describe('a misbehaving server', () => {
  const endings: Record<string, Script> = {
    'closes immediately': { onConnection: (socket) => socket.destroy() },
    'closes in the middle of the features': { onConnection: (socket) => socket.end('<stream:stream><stream:fea') },
    'uses another protocol': { onConnection: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') },
    'sends invalid XML': { onConnection: (socket) => socket.write('<stream:stream></b>') && undefined },
    'uses a custom entity': { features: '<a>&lol;</a>' },
    'ends the stream during authentication': { onAuth: '</stream:stream>' },
    'sends a stream error during authentication': {
      onAuth: '<stream:error><policy-violation xmlns="urn:ietf:params:xml:ns:xmpp-streams"/></stream:error>',
    },
    'sends an unexpected stanza during authentication': { onAuth: '<message/>' },
    'refuses to bind a resource': { onBind: (id) => `<iq type="error" id="${id}"><error/></iq>` },
    'closes after authentication': { onQuestion: () => '</stream:stream>' },
  };
  test('ends the stream during authentication: the user is told that the server was reached', async (context) => {
    for (const onAuth of [
      '</stream:stream>',
      '<message/>',
      endings['sends a stream error during authentication']?.onAuth,
    ]) {
      const { run } = await start(context, { onAuth } as Script, PATIENT);

      const error = await run.end();

      assert.ok(error instanceof AppError, String(error));
      assert.match(error.message, /^The server was reached, but did not complete the sign-in/);
    }
  });

  for (const [what, script] of Object.entries(endings)) {
    test(`${what}: the connection fails before any timeout`, async (context) => {
      const { run } = await start(context, script, PATIENT);

      const error = await run.end();

      assert.ok(error instanceof Error, String(error));
    });
  }

  const silences: Record<string, Script> = {
    'sends nothing': { onConnection: () => {} },
    'stops responding during authentication': { onAuth: ' ' },
    'never binds a resource': { onBind: () => ' ' },
    'answers no IQ': { onQuestion: () => undefined },
  };
  for (const [what, script] of Object.entries(silences)) {
    test(`${what}: the connection fails at the timeout`, async (context) => {
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

describe('a misbehaving room', () => {
  const ROOM = 'room@rooms.localhost';
  const present = `<presence from="${ROOM}/alice"><x xmlns="http://jabber.org/protocol/muc#user"><status code="110"/></x></presence>`;
  const onText: Script['onText'] = (text, write) => text.includes(`to="${ROOM}/alice"><x`) && write(present);
  const limits = { ...PATIENT, rejoinMs: 10 };
  const answerFrom = (iq: string, id: string) =>
    `<iq type="result" id="${id}" from="${/ to="([^"]*)"/.exec(iq)?.[1] ?? ''}"/>`;

  test('that no longer has us as an occupant is joined again', async (context) => {
    const onQuestion = (iq: string, id: string) =>
      iq.includes(`to="${ROOM}/alice"`)
        ? `<iq type="error" from="${ROOM}/alice" id="${id}"><error type="cancel"><not-acceptable xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/></error></iq>`
        : answerFrom(iq, id);
    const { run } = await start(context, { onText, onQuestion }, { ...limits, checkMs: 50 }, { rooms: [ROOM] });

    await run.until('it is there again', () => run.events.filter(({ kind }) => kind === 'chat').length > 1);

    assert.ok(run.warnings.includes('a room has forgotten us'));
  });

  test('that repeats old subjects on joining tells no new one, and later ones are stored', async (context) => {
    const subject = (text: string, delay = '') =>
      `<message from="${ROOM}/bob" type="groupchat" id="s-${text}"><subject>${text}</subject>${delay}</message>`;
    const past = `<delay xmlns="urn:xmpp:delay" from="${ROOM}" stamp="2024-01-01T00:00:00Z"/>`;
    const told = [subject('first', past), subject('second', past), subject('second'), subject('third')];
    const joining: Script['onText'] = (text, write) =>
      text.includes(`to="${ROOM}/alice"><x`) && write([present, ...told].join(''));
    const { run } = await start(context, { onText: joining, onQuestion: answerFrom }, limits, { rooms: [ROOM] });

    await run.until('a subject', () => run.messages().length > 0);

    assert.deepEqual(
      run.messages().map(({ text }) => text),
      ['Subject: third'],
    );
  });

  test('that never answers does not block the connection, and is retried', async (context) => {
    const parts = { onQuestion: answerFrom };
    const { run, server } = await start(context, parts, { ...limits, joinMs: 100 }, { rooms: [ROOM] });

    await run.connected();
    await until('it is tried again', () => run.warnings.length > 1);

    assert.ok(server.heard.join('').split(`to="${ROOM}/alice"><x`).length > 2);
  });
});

describe('authentication', () => {
  test('without offered encryption sends no password', async (context) => {
    const { run, server } = await start(context, {}, PATIENT, { tls: true });

    const error = await run.end();

    assert.match(rejectionOf(error), /offers no encryption/);
    assert.ok(!server.heard.join('').includes('<auth'));
  });

  test('after a refused STARTTLS sends no password', async (context) => {
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

  test('fails if the server cannot prove that it knows the password', async (context) => {
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

  test('without a supported mechanism is rejected permanently', async (context) => {
    const { run } = await start(context, { features: `<mechanisms xmlns="${SASL}"/>` }, PATIENT);

    rejectionOf(await run.end());
  });

  test('after a temporary failure can be retried', async (context) => {
    const { run } = await start(
      context,
      { onAuth: `<failure xmlns="${SASL}"><temporary-auth-failure/></failure>` },
      PATIENT,
    );

    const error = await run.end();

    assert.match(String(error), /cannot check the password at the moment/);
  });
});

describe('forged stanzas', () => {
  const FORWARDED = (what: string) =>
    `<forwarded xmlns="urn:xmpp:forward:0">${what}<message xmlns="jabber:client" from="boss@localhost" to="alice@localhost" type="chat" id="1"><body>forged</body></message></forwarded>`;
  const forgeries = {
    'a forged carbon copy': `<message from="eve@localhost/x" type="chat"><sent xmlns="urn:xmpp:carbons:2">${FORWARDED('')}</sent></message>`,
    'a forged archive result': `<message from="eve@localhost/x"><result xmlns="urn:xmpp:mam:2" queryid="1" id="1">${FORWARDED('')}</result></message>`,
    'a forged IQ result': `<iq from="eve@localhost/x" type="result" id="1"/>`,
    'a forged roster change': `<iq from="eve@localhost/x" type="set" id="1"><query xmlns="jabber:iq:roster"><item jid="boss@localhost" name="Eve"/></query></iq>`,
    'a message without an address': `<message from="" type="chat"><body>x</body></message>`,
    'a presence without an address': `<presence/>`,
  };
  for (const [what, forged] of Object.entries(forgeries)) {
    test(`${what} is ignored, and the connection continues`, async (context) => {
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

  test('a delay stamp from a sender is ignored', async (context) => {
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
