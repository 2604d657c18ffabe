import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SOURCE } from '../support/connectors/connected-source.ts';
import { arrivingBehaviours } from '../support/connectors/contract/arriving.ts';
import { numbered } from '../support/connectors/contract/stage.ts';
import { type Posting, standardHeaders, type WebhookWorld, webhookWorld } from '../support/connectors/webhook-world.ts';
import { ACCEPT, standardHeaders as mcpHeaders, openSession } from '../support/mcp/rpc-http.ts';
import { eventIn, request, stateless } from '../support/mcp/rpc-message.ts';
import { until } from '../support/mcp/shim-program.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SENDERS = 10;
const LINES = process.env.SOAK ? 50_000 : 5_000;
const KILLS = process.env.SOAK ? 40 : 4;

describe('a webhook source', { timeout: 300_000 }, () => {
  const home = join(temporaryFolder(after), 'home');
  let world: WebhookWorld;
  before(async () => {
    world = await webhookWorld(home);
  });
  after(() => world?.close());

  const said = (more: object = {}) => ({ chat: 'ops', sender: 'ci', text: 'hello', ...more });
  const times = async (chat: string, text: string) => (await world.texts(chat)).filter((one) => one === text).length;

  describe('like any other source', () => {
    arrivingBehaviours(
      () => world,
      () => true,
    );
  });

  test('messages with the same id are stored once, also when ten senders post them concurrently', async () => {
    const message = said({ id: 'once', text: 'only once' });

    const answers = await Promise.all(Array.from({ length: SENDERS }, () => world.post([message, message])));

    const added = answers.reduce((sum, { body }) => sum + (body.added ?? 0), 0);
    const known = answers.reduce((sum, { body }) => sum + (body.known ?? 0), 0);
    assert.deepEqual([added, known], [1, 2 * SENDERS - 1]);
    assert.equal(await times('ops', 'only once'), 1);
  });

  test('two hundred messages with one timestamp, posted together, keep their order', async () => {
    const texts = numbered('together', 200);
    const timestamp = '2026-01-02T03:04:05.678Z';

    await world.post(texts.map((text) => said({ chat: 'moment', text, timestamp })));

    assert.deepEqual(await world.texts('moment'), texts);
    const moments = new Set((await world.stored('moment')).map(({ at }) => at));
    assert.deepEqual([...moments], [Date.parse(timestamp)]);
  });

  test('a timestamp in the future is replaced by the current time', async () => {
    await world.post(said({ chat: 'future', timestamp: '9999-01-01T00:00:00Z' }));

    const [message] = await world.stored('future');
    assert.ok((message?.at ?? Number.POSITIVE_INFINITY) <= Date.now());
  });

  test('CHAT-30 a line separator in untrusted text does not split a line of a stream', async () => {
    const uri = `messages://${SOURCE}/whole`;
    const message = request('subscriptions/listen', stateless({ notifications: { resourceSubscriptions: [uri] } }));
    await world.post(said({ chat: 'whole' }));
    const response = await fetch(world.url(), {
      method: 'POST',
      headers: { ...ACCEPT, ...mcpHeaders(message) },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(60_000),
    });

    let heard = '';
    const posted = world.post(said({ chat: 'whole', text: 'first\u2028second' }));
    for await (const chunk of response.body ?? []) {
      heard += Buffer.from(chunk).toString('utf8');
      if (heard.includes('second')) break;
    }

    assert.equal((await posted).status, 200);
    // A client is shown the character, which would be invisible.
    assert.match(heard, /"first\\\\u2028second"/);
    assert.doesNotMatch(heard, /\u2028/);
  });

  describe('rejects, with the field or the reason', () => {
    const refused = async (content: unknown, posting?: Posting) => {
      const { status, body } = await world.post(content, posting);
      return { status, code: body.error?.code, field: body.error?.field, message: body.error?.message };
    };

    const wrong: Record<string, [unknown, { field?: string; message?: RegExp }]> = {
      'an unknown field': [said({ colour: 'red' }), { field: 'messages.0.colour' }],
      'a field of the wrong type': [said({ text: 7 }), { field: 'messages.0.text' }],
      'a message without a chat': [{ sender: 'ci', text: 'hello' }, { field: 'messages.0.chat' }],
      'a chat without a name': [said({ chat: '' }), { field: 'messages.0.chat' }],
      'an invalid timestamp': [said({ timestamp: 'tomorrow' }), { field: 'messages.0.timestamp' }],
      'an unknown chat type': [said({ chat_type: 'crowd' }), { field: 'messages.0.chat_type' }],
      'a list whose second message is invalid': [[said(), said({ sender: null })], { field: 'messages.1.sender' }],
      'a text that is one character too long': [said({ text: 'x'.repeat(1_000_001) }), { field: 'messages.0.text' }],
      'more than a thousand messages': [Array.from({ length: 1_001 }, () => said()), { field: 'messages' }],
      'an empty list': [[], { field: 'messages' }],
      'a text instead of an object': ['hello', { message: /must be a JSON object/ }],
      'broken JSON': [Buffer.from('{"chat":"ops"'), { message: /must be a JSON object/ }],
      'bytes that are not UTF-8': [
        Buffer.from('{"chat":"ops","sender":"ci","text":"\xff"}', 'latin1'),
        { message: /UTF-8/ },
      ],
      'a form body': [Buffer.from('chat=ops&sender=ci&text=hello'), { message: /must be a JSON object/ }],
    };
    for (const [what, [content, { field, message = /./ }]] of Object.entries(wrong)) {
      test(what, async () => {
        const answer = await refused(content);

        assert.equal(answer.status, 400);
        assert.equal(answer.field, field);
        assert.match(answer.message ?? '', message);
      });
    }

    test('a whole list if one of its messages is invalid', async () => {
      await refused([said({ chat: 'all or none' }), said({ chat: 'all or none', text: 7 })]);

      assert.deepEqual(await world.texts('all or none'), []);
    });

    test('a request without a signature, or with a wrong one', async () => {
      const unsigned = await refused(said({ chat: 'unsigned' }), { signature: '' });
      const forged = await refused(said({ chat: 'unsigned' }), { signature: `sha256=${'0'.repeat(64)}` });
      const nonsense = await refused(said({ chat: 'unsigned' }), { signature: 'let me in' });

      for (const { status, code, message } of [unsigned, forged, nonsense]) {
        assert.deepEqual([status, code], [401, 'UNAUTHENTICATED']);
        assert.match(message ?? '', /x-switchboard-signature/);
      }
      assert.deepEqual(await world.texts('unsigned'), []);
    });

    test('a Standard Webhooks signature that is too old or has a changed timestamp', async () => {
      const message = said({ chat: 'standard' });
      const seconds = Math.floor(Date.now() / 1_000);
      const at = (moment: number) => standardHeaders(JSON.stringify(message), moment);

      const first = await world.post(message, { signature: '', headers: at(seconds) });
      const again = await world.post(message, { signature: '', headers: at(seconds) });
      const old = await refused(message, { signature: '', headers: at(seconds - 3_600) });
      const moved = { ...at(seconds - 3_600), 'webhook-timestamp': String(seconds) };

      assert.deepEqual(
        [first.body, again.body],
        [
          { added: 1, known: 0 },
          { added: 0, known: 1 },
        ],
      );
      assert.match(old.message ?? '', /signed too long ago/);
      assert.match((await refused(message, { signature: '', headers: moved })).message ?? '', /is not signed/);
    });

    test('a body above the limit, another method, and an unknown source', async () => {
      const large = await refused([1, 2, 3, 4, 5].map(() => said({ text: 'x'.repeat(1_000_000) })));
      const put = await refused(said(), { method: 'PUT' });
      const unknown = await refused(said(), { source: 'nobody' });

      assert.deepEqual([large.status, large.code], [413, 'TOO_LARGE']);
      assert.equal(put.status, 405);
      assert.deepEqual([unknown.status, unknown.code], [404, 'SOURCE_NOT_FOUND']);
    });
  });

  test('subscribers are notified of each message once, in the order of the store', async () => {
    const session = await openSession(world.url());
    const stream = await session.listen();
    await world.post(said({ chat: 'heard', text: 'first', id: 'first' }));
    await session.call('resources/subscribe', { uri: `messages://${SOURCE}/heard` });
    const ids = numbered('heard', 60);

    await Promise.all(
      Array.from({ length: SENDERS }, async () => {
        for (const id of ids) await world.post(said({ chat: 'heard', id, text: id }));
      }),
    );
    await world.post(said({ chat: 'heard', text: 'last', id: 'last' }));

    await stream.messages.take((message) => eventIn(message).content === 'last');
    const heard = stream.messages.all
      .filter(({ method }) => method === 'notifications/resources/updated')
      .map((message) => eventIn(message).content);
    stream.close();
    assert.deepEqual(heard, (await world.texts('heard')).slice(1));
    assert.equal(heard.length, ids.length + 1);
  });

  test(`killed ${KILLS} times while ten senders post and retry, it loses and duplicates nothing`, async () => {
    const acknowledged = new Set<string>();
    let isOver = false;
    const sending = Array.from({ length: SENDERS }, async (_, sender) => {
      for (let number = 0; !isOver; number++) {
        const id = `${sender}-${number}`;
        await untilTaken(() => world.post(said({ chat: 'killed', id, text: id })));
        acknowledged.add(id);
      }
    });

    for (let kill = 0; kill < KILLS; kill++) {
      const before = acknowledged.size;
      await until('many messages are acknowledged', () => acknowledged.size > before + 3 * SENDERS);
      await sleep(Math.random() * 20);
      const promised = [...acknowledged];
      await world.kill();
      const there = new Set(await world.texts('killed'));
      assert.deepEqual(
        promised.filter((id) => !there.has(id)),
        [],
        'every acknowledged message is stored',
      );
    }
    isOver = true;
    await Promise.all(sending);

    assert.deepEqual((await world.texts('killed')).sort(), [...acknowledged].sort());
  });

  describe('by command', () => {
    const lines = (count: number, chat: string) =>
      numbered('line', count).map((text) => JSON.stringify({ chat, sender: 'ci', text, id: text }));
    const posting = (stdin: string) => runProgram(['chat', 'post', '--source', SOURCE, '--json'], { home, stdin });

    test(`${LINES} lines are stored in order, and posting them again adds nothing`, async () => {
      const stdin = lines(LINES, 'lines').join('\n');

      const first = await posting(stdin);
      const second = await posting(stdin);

      assert.deepEqual(JSON.parse(first.stdout), { added: LINES, known: 0 });
      assert.deepEqual(JSON.parse(second.stdout), { added: 0, known: LINES });
      assert.deepEqual(await world.texts('lines'), numbered('line', LINES));
    });

    test('a malformed line is an error with its line number, and the lines before it may be stored', async () => {
      const many = lines(900, 'broken');
      const stdin = [...many.slice(0, 450), '{"chat":', ...many.slice(450)].join('\n');

      const { code, stderr } = await posting(stdin);

      assert.notEqual(code, 0);
      assert.match(stderr, /Line 451 of standard input: it takes JSON/);
      const taken = await world.texts('broken');
      assert.deepEqual(taken, numbered('line', taken.length));
      assert.ok(taken.length <= 450);
    });

    for (const [what, line, why] of [
      ['a missing field', { sender: 'ci' }, 'text is required'],
      ['an unknown field', { sender: 'ci', text: 'x', colour: 'red' }, 'Unknown field: colour'],
      ['a wrong value', { sender: 'ci', text: 7 }, 'text: expected string, received number'],
    ] as const) {
      test(`a line with ${what} is an error with its line number, and the lines before it are stored`, async () => {
        const wrong = JSON.stringify({ chat: what, ...line });
        const { code, stderr } = await posting([...lines(2, what), '', wrong, ...lines(3, what), wrong].join('\n'));

        const { error } = JSON.parse(stderr);
        assert.equal(code, 2);
        assert.equal(error.message, `Line 4 of standard input: ${why}. Nothing was taken from this line on.`);
        assert.deepEqual(await world.texts(what), numbered('line', 2));
      });
    }

    test('on an open stream each line is stored before the next one is written', async (context) => {
      const program = startProgram(['chat', 'post', '--source', SOURCE], { home });
      context.after(() => program.kill());
      const output = createInterface({ input: program.stdout });
      const ended = once(program, 'close');

      for (const text of numbered('drop', 5)) {
        program.stdin.write(`${JSON.stringify({ chat: 'dripping', sender: 'ci', text })}\n`);
        await world.arrived('dripping', text);
      }
      program.stdin.end();

      const [[line], [code]] = await Promise.all([once(output, 'line'), ended]);
      assert.deepEqual([line, code], ['5 added.', 0]);
    });
  });
});

/** Retries until there is a response: the id identifies repeated messages. */
async function untilTaken(post: () => Promise<{ status: number }>): Promise<void> {
  await until('it is accepted', async () => (await post().catch(() => ({ status: 0 }))).status === 200, 120_000);
}
