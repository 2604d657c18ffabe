import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HistoryRequest } from '../../src/connectors/connector.ts';
import { notSent, pageIn, sentAs } from '../support/connectors/outcomes.ts';
import type { RecordedRun } from '../support/connectors/recording-host.ts';
import { matrixFixture, textsOf } from '../support/matrix/fixture.ts';

const here = matrixFixture();

describe('history', () => {
  test('is read page by page, back to the first message', async () => {
    for (let number = 0; number < 25; number += 1) here.say(`old ${number}`);
    const one = await here.connected();
    here.say('live');
    await one.until(() => textsOf(one).includes('live'));

    const pages = await allPages(one, 'older');

    const wanted = Array.from({ length: 25 }, (_, number) => `old ${number}`);
    assert.deepEqual(
      pages.filter((text) => text !== 'live'),
      wanted,
    );
  });

  test('is read forward from the cursor of a live message', async () => {
    const memory = new Map<string, string>();
    const first = await here.connected({ memory });
    here.say('known');
    await first.until(() => first.positions.length === 1);
    await first.stop();
    for (let number = 0; number < 25; number += 1) here.say(`missed ${number}`);

    const next = await here.connected({ memory });
    const pages = await allPages(next, 'newer', first.positions[0]?.cursor);

    assert.deepEqual(
      pages,
      Array.from({ length: 25 }, (_, number) => `missed ${number}`),
    );
  });

  test('a cursor that the homeserver no longer knows is reported as lost, and live messages continue', async () => {
    const memory = new Map<string, string>();
    const first = await here.connected({ memory });
    here.say('known');
    await first.until(() => first.positions.length === 1);
    await first.stop();
    here.server.forgetPlaces();

    const next = await here.connected({ memory });
    here.say('after');
    await next.until(() => textsOf(next).includes('after'));

    const from = first.positions[0]?.cursor;
    const page = await next.connection.history?.(request({ timeline: here.room, direction: 'newer', from }));
    assert.equal(page?.kind, 'cursor-lost');
  });

  test('of a room that the user is not in is empty and complete', async () => {
    const one = await here.connected();
    const other = here.server.model.createRoom(here.alice, { name: 'Not ours' });

    const page = pageIn(await one.connection.history?.(request({ timeline: other, direction: 'older' })));

    assert.deepEqual(page.events, []);
    assert.equal(page.end, true);
  });
});

describe('sending', () => {
  test('is received back once, as our own message, and a reply names the message it replies to', async () => {
    const one = await here.connected();
    const id = here.say('a question');

    const sent = await one.connection.send?.({ id: '17', chat: here.room, text: 'an answer', replyTo: id });
    await one.until(() => textsOf(one).includes('an answer'));

    const own = one.messages().filter(({ isOwn }) => isOwn);
    assert.deepEqual(
      own.map((message) => [message.id, message.text, message.replyTo]),
      [[sentAs(sent).id, 'an answer', id]],
    );
    const [asked] = here.server.requests.filter(({ method }) => method === 'PUT');
    assert.deepEqual(JSON.parse(asked?.body ?? ''), {
      msgtype: 'm.text',
      body: 'an answer',
      'm.mentions': {},
      'm.relates_to': { 'm.in_reply_to': { event_id: id } },
    });
  });

  test('an answer to a message in a thread is in that thread', async () => {
    const one = await here.connected();
    const root = here.say('a question');
    const content = {
      msgtype: 'm.text',
      body: 'in a thread',
      'm.relates_to': { rel_type: 'm.thread', event_id: root },
    };
    const inside = here.append('m.room.message', content);

    for (const [index, replyTo] of [inside, root].entries()) {
      sentAs(await one.connection.send?.({ id: `${index}`, chat: here.room, text: 'an answer', replyTo }));
    }

    const bodies = here.server.requests.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body));
    assert.deepEqual(
      bodies.map((body) => body['m.relates_to']),
      [
        { rel_type: 'm.thread', event_id: root, is_falling_back: false, 'm.in_reply_to': { event_id: inside } },
        { 'm.in_reply_to': { event_id: root } },
      ],
    );
  });

  test('twice with one id creates one message, even after a lost response and over a new connection', async () => {
    const memory = new Map<string, string>();
    const one = await here.connected({ memory }, here.byPassword());
    here.server.fault({ path: /\/send\//, cutAfter: true });
    const outgoing = { id: '17', chat: here.room, text: 'only once' };

    const lost = await one.connection.send?.(outgoing).catch((error: unknown) => error);
    await one.stop();
    const next = await here.connected({ memory }, here.byPassword());
    const sent = await next.connection.wasSent?.(outgoing);

    assert.ok(lost instanceof Error);
    const stored = here.server.model.room(here.room).events.filter(({ content }) => content.body === 'only once');
    assert.deepEqual(
      stored.map(({ event_id: id }) => id),
      [sentAs(sent).id],
    );
  });

  test('is not repeated to find out whether an old message was sent, as the homeserver may have forgotten its id', async () => {
    const one = await here.connected();
    const outgoing = { id: '18', chat: here.room, text: 'long ago', since: Date.now() - 60 * 60_000 };

    const asked = await one.connection.wasSent?.(outgoing);

    assert.equal(asked?.kind, 'unknown');
    assert.deepEqual(
      here.server.requests.filter(({ method }) => method === 'PUT'),
      [],
    );
  });

  test('without permission, or to a room that does not exist, is reported as not sent', async () => {
    const closed = here.server.model.createRoom(here.alice, { name: 'Closed' });
    const one = await here.connected();
    const attempts = [closed, '!nowhere:hs.test', 'Family', '..'].map((chat) =>
      one.connection.send?.({ id: '1', chat, text: 'x' }),
    );

    const outcomes = await Promise.all(attempts);

    for (const outcome of outcomes) {
      assert.equal(notSent(outcome).retry, false);
      assert.equal(notSent(outcome).reason.includes('words of the homeserver'), false);
    }
  });

  test('to an encrypted room is refused, as the text would be unencrypted', async () => {
    here.append('m.room.encryption', { algorithm: 'm.megolm.v1.aes-sha2' }, { state_key: '' });
    const one = await here.connected();

    notSent(await one.connection.send?.({ id: '1', chat: here.room, text: 'secret' }));

    assert.equal(
      here.server.requests.some(({ path }) => path.includes('/send/')),
      false,
    );
  });

  test('a text that is too long is reported as not sent', async () => {
    const one = await here.connected();

    notSent(await one.connection.send?.({ id: '1', chat: here.room, text: 'x'.repeat(70_000) }));
  });

  test('while the homeserver is unreachable can be retried', async () => {
    const one = await here.connected();
    await here.server.down();

    const outcome = await one.connection.send?.({ id: '1', chat: here.room, text: 'x' });

    assert.equal(notSent(outcome).retry, true);
  });
});

function request(
  wanted: Pick<HistoryRequest, 'timeline' | 'direction'> & { from?: string | undefined },
): HistoryRequest {
  const { from, ...rest } = wanted;
  return { ...rest, ...(from === undefined ? {} : { from }), limit: 10, signal: new AbortController().signal };
}

/** The texts of all pages, oldest first. */
async function allPages(one: RecordedRun, direction: 'older' | 'newer', start?: string): Promise<string[]> {
  const found: string[] = [];
  for (let from = start, end = false; !end; ) {
    const page = pageIn(await one.connection.history?.(request({ timeline: here.room, direction, from })));
    const texts = page.events.flatMap((event) => (event.kind === 'message' ? [event.message.text] : []));
    if (direction === 'older') found.unshift(...texts);
    else found.push(...texts);
    from = direction === 'older' ? page.oldest : page.newest;
    end = page.end;
  }
  return found;
}
