import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { ChangedResource } from '../../src/mcp/registry.ts';
import { createFixtureRegistry } from '../conformance/fixture-registry.ts';
import { OWNER_TOKEN, serveFixture } from '../conformance/serve.ts';
import { serveFixtureStreams } from '../support/mcp/fixture-streams.ts';
import type { createMessageQueue } from '../support/mcp/message-queue.ts';
import { openSession, openStream, standardHeaders } from '../support/mcp/rpc-http.ts';
import { type Message, request, stateless } from '../support/mcp/rpc-message.ts';

const AUTHORIZED = { authorization: `Bearer ${OWNER_TOKEN}` };
const UPDATED = 'notifications/resources/updated';
const PATTERN = 'test://chats/*?sender=Alice';

type Fixture = ReturnType<typeof createFixtureRegistry>;
type Queue = ReturnType<typeof createMessageQueue>;

/** A client subscribed to `patterns`; `stop` cancels all subscriptions. */
interface Subscriber {
  fixture: Fixture;
  messages: Queue;
  stop(): Promise<unknown>;
  /** Resolves when everything sent so far has arrived, a changed list of tools last. */
  caughtUp(): Promise<unknown>;
}

const WAYS: Record<
  string,
  (context: TestContext, patterns: readonly string[], already?: readonly ChangedResource[]) => Promise<Subscriber>
> = {
  async 'in a session on stdio'(context, patterns, already) {
    const { fixture, client } = await onStreams(context, already);
    await client.initialize();
    for (const uri of patterns) await client.call('resources/subscribe', { uri });
    const stop = async () => {
      for (const uri of patterns) await client.call('resources/unsubscribe', { uri });
    };
    return { fixture, messages: client.messages, stop, caughtUp: () => client.call('ping') };
  },

  async 'without a session on stdio'(context, patterns, already) {
    const { fixture, client } = await onStreams(context, already);
    const listen = request('subscriptions/listen', listening(patterns));
    client.send(listen);
    await client.messages.notified('notifications/subscriptions/acknowledged');
    const caughtUp = () => client.call('server/discover', stateless());
    const stop = () => {
      client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: listen.id } });
      return caughtUp();
    };
    return { fixture, messages: client.messages, stop, caughtUp };
  },

  async 'in a session on HTTP'(context, patterns, already) {
    const { fixture, url } = await onHttp(context, already);
    const session = await openSession(url, AUTHORIZED);
    const stream = await session.listen();
    for (const uri of patterns) await session.call('resources/subscribe', { uri });
    const stop = async () => {
      for (const uri of patterns) await session.call('resources/unsubscribe', { uri });
    };
    const caughtUp = () => stream.messages.notified('notifications/tools/list_changed');
    return { fixture, messages: stream.messages, stop, caughtUp };
  },

  async 'without a session on HTTP'(context, patterns, already) {
    const { fixture, url } = await onHttp(context, already);
    const message = request('subscriptions/listen', listening(patterns));
    const stream = await openStream(url, { message, headers: { ...AUTHORIZED, ...standardHeaders(message) } });
    await stream.messages.notified('notifications/subscriptions/acknowledged');
    const stop = async () => {
      stream.close();
      await stream.ended;
    };
    return { fixture, messages: stream.messages, stop, caughtUp: () => stream.ended };
  },
};

function listening(resourceSubscriptions: readonly string[]) {
  return stateless({ notifications: { resourceSubscriptions, toolsListChanged: true, promptsListChanged: true } });
}

async function onStreams(context: TestContext, already: readonly ChangedResource[] = []) {
  const fixture = createFixtureRegistry();
  for (const update of already) fixture.touch(update);
  const served = await serveFixtureStreams(fixture.registry);
  context.after(() => served.close());
  return { fixture, client: served.client };
}

async function onHttp(context: TestContext, already: readonly ChangedResource[] = []) {
  const fixture = createFixtureRegistry();
  for (const update of already) fixture.touch(update);
  const served = await serveFixture(fixture.registry);
  context.after(() => served.close());
  return { fixture, url: `${served.url}/mcp` };
}

const said = (number: number, sender: string, chat = 'family') => ({
  uri: `test://chats/${chat}`,
  fields: { sender },
  data: { text: `message ${number}` },
  number,
});

const numberOf = ({ params }: Message) =>
  (params?._meta as { 'switchboard/event'?: { number: number } } | undefined)?.['switchboard/event']?.number;

const updates = (messages: readonly Message[]) => messages.filter(({ method }) => method === UPDATED);

for (const [way, subscribe] of Object.entries(WAYS)) {
  describe(`a subscription ${way}`, () => {
    const named = way.startsWith('in a session') ? 'test://chats/family' : PATTERN;

    test('to a pattern delivers matching updates, with the resource and the event', async (context) => {
      const { fixture, messages } = await subscribe(context, [PATTERN]);

      fixture.touch(said(1, 'Bob'));
      fixture.touch(said(2, 'alice'));
      fixture.touch({ ...said(3, 'Alice'), uri: 'test://elsewhere' });
      fixture.touch(said(4, 'Alice'));
      const first = await messages.notified(UPDATED);
      const second = await messages.notified(UPDATED);

      assert.partialDeepStrictEqual(first.params, {
        uri: named,
        _meta: {
          'switchboard/uri': 'test://chats/family',
          'switchboard/event': { number: 2, text: 'message 2' },
        },
      });
      assert.partialDeepStrictEqual(second.params, { _meta: { 'switchboard/event': { number: 4 } } });
    });

    test('to an exact resource delivers only updates of that resource', async (context) => {
      const { fixture, messages } = await subscribe(context, ['test://chats/work']);

      fixture.touch(said(1, 'Alice', 'family'));
      fixture.touch(said(2, 'Alice', 'work'));
      const update = await messages.notified(UPDATED);

      assert.partialDeepStrictEqual(update.params, {
        uri: 'test://chats/work',
        _meta: { 'switchboard/event': { number: 2 } },
      });
    });

    test('that was cancelled delivers nothing more', async (context) => {
      const { fixture, messages, stop, caughtUp } = await subscribe(context, [PATTERN]);
      fixture.touch(said(1, 'Alice'));
      await messages.notified(UPDATED);

      await stop();
      fixture.touch(said(2, 'Alice'));
      fixture.touchList('tools');
      await caughtUp();

      assert.equal(updates(messages.all).length, 1);
    });

    test('that resumes delivers missed events in order, then new ones', async (context) => {
      const missed = [1, 2, 3, 4, 5, 6].map((number) => said(number, number === 4 ? 'Bob' : 'Alice'));

      const { fixture, messages } = await subscribe(context, [`${PATTERN}&after=1`], missed);
      fixture.touch(said(7, 'Alice'));
      const told = [];
      for (let count = 0; count < 5; count++) told.push(await messages.notified(UPDATED));
      fixture.touch(said(8, 'Alice'));
      told.push(await messages.notified(UPDATED));

      assert.deepEqual(told.map(numberOf), [2, 3, 5, 6, 7, 8]);
      assert.equal(updates(messages.all).length, 6);
    });

    test('delivers changes of the lists of tools and prompts', async (context) => {
      const { fixture, messages } = await subscribe(context, [PATTERN]);

      fixture.touchList('tools');
      fixture.touchList('prompts');

      assert.ok(await messages.notified('notifications/tools/list_changed'));
      assert.ok(await messages.notified('notifications/prompts/list_changed'));
    });
  });
}

describe('a subscription that resumes', () => {
  test('in a session on HTTP delivers missed events when a stream is opened', async (context) => {
    const missed = Array.from({ length: 500 }, (_, index) => said(index + 1, 'Alice'));
    const { url } = await onHttp(context, missed);
    const session = await openSession(url, AUTHORIZED);

    const { result } = await session.call('resources/subscribe', { uri: 'test://chats/*?after=0' });
    const stream = await session.listen();
    const told = [];
    while (told.length < missed.length) told.push(await stream.messages.notified(UPDATED));

    assert.deepEqual(result, { _meta: { 'switchboard/after': 500 } });
    assert.deepEqual(
      told.map(numberOf),
      missed.map(({ number }) => number),
    );
  });

  test('a second time in the same session delivers missed events, and later ones once', async (context) => {
    const { fixture, client } = await onStreams(context, [said(1, 'Alice'), said(2, 'Alice')]);
    await client.initialize();
    await client.call('resources/subscribe', { uri: 'test://chats/*' });

    await client.call('resources/subscribe', { uri: 'test://chats/*?after=1' });
    const first = await client.messages.notified(UPDATED);
    fixture.touch(said(3, 'Alice'));
    const second = await client.messages.notified(UPDATED);
    await client.call('ping');

    assert.deepEqual([first, second].map(numberOf), [2, 3]);
    assert.equal(updates(client.messages.all).length, 2);
  });

  test('delivers missed events only to its own client', async (context) => {
    const { fixture, url } = await onHttp(context, [said(1, 'Alice')]);
    const listen = async () => {
      const message = request('subscriptions/listen', listening(['test://chats/*?after=0']));
      const stream = await openStream(url, { message, headers: { ...AUTHORIZED, ...standardHeaders(message) } });
      await stream.messages.notified(UPDATED);
      return stream;
    };

    const one = await listen();
    const other = await listen();
    fixture.touch(said(2, 'Alice'));
    await Promise.all([one, other].map(({ messages }) => messages.notified(UPDATED)));

    assert.deepEqual(updates(one.messages.all).map(numberOf), [1, 2]);
    assert.deepEqual(updates(other.messages.all).map(numberOf), [1, 2]);
    one.close();
    other.close();
  });
});

describe('a subscription to a resource that does not exist', () => {
  test('is refused in a session', async (context) => {
    const { client } = await onStreams(context);
    await client.initialize();

    const answer = await client.call('resources/subscribe', { uri: 'no://where' });

    assert.partialDeepStrictEqual(answer.error, { code: -32602, data: { code: 'NOT_FOUND', field: 'uri' } });
  });

  test('is refused without a session, on stdio and on HTTP', async (context) => {
    const { client } = await onStreams(context);
    const { url } = await onHttp(context);
    const message = request('subscriptions/listen', listening(['no://where']));

    client.send(message);
    const onStdio = await client.messages.answerTo(message.id);
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...AUTHORIZED,
        ...standardHeaders(message),
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(message),
    });

    assert.partialDeepStrictEqual(onStdio.error, { code: -32602, data: { code: 'NOT_FOUND' } });
    assert.equal(response.status, 400);
    assert.partialDeepStrictEqual(await response.json(), { id: message.id, error: { code: -32602 } });
  });
});
