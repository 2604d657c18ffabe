import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { startHttp, startStdio } from '../support/mcp/mcp-program.ts';
import { openSession, openStream, standardHeaders } from '../support/mcp/rpc-http.ts';
import { type Message, request, stateless } from '../support/mcp/rpc-message.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const STATUS = 'switchboard://status';
const UPDATED = 'notifications/resources/updated';

const metaOf = ({ params }: Message) => (params?._meta ?? {}) as JsonObject;

/** Whether an update reports this event of this session. */
const tells = (type: string, session: string) => (message: Message) => {
  const event = metaOf(message)['switchboard/event'] as JsonObject | undefined;
  return event?.type === type && event.session === session;
};

describe('subscriptions to the program itself', () => {
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    program = await startHttp({ home: join(folder, 'http') });
  });

  after(() => program.stop());

  async function listen(...resourceSubscriptions: string[]) {
    const message = request('subscriptions/listen', stateless({ notifications: { resourceSubscriptions } }));
    const stream = await openStream(program.url, { message, headers: standardHeaders(message) });
    const acknowledged = await stream.messages.notified('notifications/subscriptions/acknowledged');
    return { ...stream, acknowledged, id: message.id };
  }

  test('CORE-04 in a session, switchboard://* reports when each session begins, is ready and ends', async () => {
    const watching = await openSession(program.url);
    await watching.call('resources/subscribe', { uri: 'switchboard://*' });
    const stream = await watching.listen();

    const watched = await openSession(program.url);
    await watched.close();
    const told = [];
    for (const type of ['session.created', 'session.initialized', 'session.closed']) {
      told.push(
        await stream.messages.take((message) => message.params?.uri !== STATUS && tells(type, watched.id)(message)),
      );
    }
    stream.close();

    for (const message of told) assert.equal(message.params?.uri, `switchboard://sessions/${watched.id}`);
  });

  test('in a session, a change of switchboard://status is notified with the event in _meta', async () => {
    const watching = await openSession(program.url);
    await watching.call('resources/subscribe', { uri: STATUS });
    const stream = await watching.listen();

    const watched = await openSession(program.url);
    const update = await stream.messages.take(tells('session.initialized', watched.id));
    stream.close();

    assert.partialDeepStrictEqual(update, {
      method: UPDATED,
      params: {
        uri: STATUS,
        _meta: { 'switchboard/uri': STATUS, 'switchboard/event': { type: 'session.initialized' } },
      },
    });
    assert.ok(stream.messages.all.every(({ params }) => params?.uri === STATUS));
  });

  test('without a session, the same subscription is acknowledged and its notifications carry its id', async () => {
    const stream = await listen(STATUS);

    const watched = await openSession(program.url);
    const update = await stream.messages.take(tells('session.created', watched.id));
    stream.close();

    const subscription = { 'io.modelcontextprotocol/subscriptionId': stream.id };
    assert.partialDeepStrictEqual(stream.acknowledged.params, {
      notifications: { resourceSubscriptions: [STATUS] },
      _meta: subscription,
    });
    assert.partialDeepStrictEqual(update.params, {
      uri: STATUS,
      _meta: { ...subscription, 'switchboard/uri': STATUS },
    });
  });

  test('without a session, switchboard://* reports every resource, and names it in _meta', async () => {
    const stream = await listen('switchboard://*');

    const watched = await openSession(program.url);
    const uris = new Set();
    while (uris.size < 2) {
      const update = await stream.messages.take(tells('session.created', watched.id));
      assert.equal(update.params?.uri, 'switchboard://*');
      uris.add(metaOf(update)['switchboard/uri']);
    }
    stream.close();

    assert.deepEqual(uris, new Set([STATUS, `switchboard://sessions/${watched.id}`]));
  });

  test('a URI that matches no resource cannot be subscribed to, with or without a session', async () => {
    const session = await openSession(program.url);
    const message = request(
      'subscriptions/listen',
      stateless({ notifications: { resourceSubscriptions: ['no://x'] } }),
    );

    const old = await session.call('resources/subscribe', { uri: 'no://x' });
    const current = await openStream(program.url, { message, headers: standardHeaders(message) });

    assert.partialDeepStrictEqual(old.error, { code: -32602, data: { code: 'NOT_FOUND' } });
    assert.equal(current.status, 400);
  });
});

describe('subscriptions on stdio', () => {
  test('a session is notified of its own change, until it unsubscribes', async (context) => {
    const program = startStdio({ home: join(folder, 'stdio') });
    context.after(() => program.stop());
    await program.initialize('2024-11-05');

    await program.call('resources/subscribe', { uri: STATUS });
    await program.call('logging/setLevel', { level: 'warning' });
    const update = await program.messages.take(
      ({ method, params }) => method === UPDATED && JSON.stringify(params).includes('session.log-level-set'),
    );
    await program.call('resources/unsubscribe', { uri: STATUS });
    const heard = program.messages.all.length;
    await program.call('logging/setLevel', { level: 'error' });

    assert.partialDeepStrictEqual(update.params, { uri: STATUS, _meta: { 'switchboard/uri': STATUS } });
    assert.equal(program.messages.all.length, heard + 1);
  });

  test('without a session, a subscription is acknowledged and ends with the program', async () => {
    const program = startStdio({ home: join(folder, 'stateless') });
    const message = request('subscriptions/listen', stateless({ notifications: { resourceSubscriptions: [STATUS] } }));

    program.send(message);
    const acknowledged = await program.messages.notified('notifications/subscriptions/acknowledged');
    program.signal('SIGTERM');
    const { code } = await program.ended();

    assert.partialDeepStrictEqual(acknowledged.params, { notifications: { resourceSubscriptions: [STATUS] } });
    assert.ok((await program.messages.answerTo(message.id)).result);
    assert.equal(code, 0);
  });
});
