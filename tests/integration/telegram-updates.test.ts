import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Long } from '@mtcute/core';
import { numbered } from '../support/connectors/contract/stage.ts';
import { until } from '../support/mcp/shim-program.ts';
import { ann, family, IDS, news, startFixture, team } from '../support/telegram/fixture.ts';
import { now } from '../support/telegram/model.ts';

const MANY = 12_000;

describe('what is received from Telegram', { timeout: 300_000 }, () => {
  test(`CHAT-34 ${MANY} messages are paged through; a flood wait is obeyed, and shown meanwhile`, async (context) => {
    const { server, model, connect, count } = await startFixture(context);
    const texts = numbered('old', MANY);
    // All of a minute have one timestamp.
    for (const [index, message] of texts.entries()) {
      model.add(team, { message, fromId: ann, date: now() - Math.floor((MANY - index) / 60) * 60 });
    }
    server.onCall((method) => {
      if (method === 'messages.getHistory' && count(method) === 30) server.flood(method, 3);
    });

    const source = await connect();
    await until('the wait is shown', async () => /limits requests/.test((await source.view()).problem ?? ''));
    const meanwhile = await source.view();
    await until('all is there', async () => (await source.view()).historyComplete === true, 120_000);

    assert.equal(meanwhile.isConnected, true);
    assert.ok(meanwhile.fetching !== undefined && meanwhile.messages < MANY);
    assert.deepEqual(await source.texts(IDS.team), texts);
    assert.equal((await source.view()).problem, undefined);
    assert.ok(count('messages.getHistory') < 140, `${count('messages.getHistory')} requests`);
  });

  test('a connection after the first asks for what is new at once, not chat by chat', async (context) => {
    const { connect, say, sayUnheard, server, count } = await startFixture(context);
    const source = await connect();
    for (const peer of [ann, family, team, news]) say(peer, 'first');
    for (const id of [IDS.ann, IDS.family, IDS.team, IDS.news]) await source.arrived(id, 'first');
    await source.historySettled();
    await server.down();
    await source.isState('waiting');
    const before = count('messages.getHistory');

    for (const peer of [ann, family, team, news]) sayUnheard(peer, 'missed');
    await server.up();
    for (const id of [IDS.ann, IDS.family, IDS.team, IDS.news]) await source.arrived(id, 'missed');
    await source.historySettled();

    assert.equal(count('messages.getHistory'), before);
  });

  for (const [what, peer, id] of [
    ['all chats', ann, IDS.ann],
    ['a channel', team, IDS.team],
  ] as const) {
    test(`after more updates of ${what} than Telegram repeats, messages are fetched as history`, async (context) => {
      const { connect, say, server, count } = await startFixture(context);
      const source = await connect();
      say(peer, 'before');
      await source.arrived(id, 'before');
      await source.stop();
      const missed = numbered('missed', 250);
      for (const text of missed) say(peer, text);
      server.forgetAfter(50);

      const again = await connect();
      await again.arrived(id, 'missed 249');
      await again.historySettled();
      say(peer, 'after');
      await again.arrived(id, 'after');

      assert.deepEqual(await again.texts(id), ['before', ...missed, 'after']);
      assert.equal(again.opened(), 1);
      await again.stop();
      const requests = count('messages.getHistory');
      const third = await connect();
      await third.isState('connected');
      await third.historySettled();
      assert.equal(count('messages.getHistory'), requests);
    });
  }

  test('after too many updates at once while it is connected, it connects again and fetches them', async (context) => {
    const { connect, say, sayUnheard, server } = await startFixture(context);
    const source = await connect();
    say(ann, 'before');
    await source.arrived(IDS.ann, 'before');
    await source.historySettled();
    const missed = numbered('missed', 30);
    for (const text of missed) sayUnheard(ann, text);

    server.forgetAfter(20);
    server.model.events.emit('updates', { _: 'updatesTooLong' });

    await source.arrived(IDS.ann, 'missed 29');
    await source.historySettled();
    assert.deepEqual(await source.texts(IDS.ann), ['before', ...missed]);
    assert.equal(source.opened(), 2);
  });

  for (const [what, peer, id] of [
    ['a direct chat', ann, IDS.ann],
    ['a supergroup', team, IDS.team],
  ] as const) {
    test(`an update of ${what} that got lost is fetched when the next one arrives`, async (context) => {
      const { connect, say, sayUnheard } = await startFixture(context);
      const source = await connect();
      say(peer, 'one');
      await source.arrived(id, 'one');

      for (const text of ['two', 'three', 'four', 'five']) sayUnheard(peer, text);
      say(peer, 'six');

      await source.arrived(id, 'six');
      assert.deepEqual(await source.texts(id), ['one', 'two', 'three', 'four', 'five', 'six']);
      assert.equal(source.opened(), 1);
    });
  }

  test('a deletion without a chat is applied in the chat that has the message', async (context) => {
    const { connect, say, model } = await startFixture(context);
    const source = await connect();
    await source.isState('connected');
    const ids = { ann: say(ann, 'to you'), family: say(family, 'to the family'), team: say(team, 'to the team') };
    for (const [name, text] of [
      ['ann', 'to you'],
      ['family', 'to the family'],
      ['team', 'to the team'],
    ] as const) {
      await source.arrived(IDS[name], text);
    }

    // A supergroup counts for itself: its message has the same number as the one that is deleted.
    assert.equal(ids.ann, ids.team);
    model.delete(ann, Number(ids.ann));

    await source.becomes(IDS.ann, ids.ann, 'it is deleted', ({ deletedAt }) => deletedAt !== undefined);
    assert.deepEqual(await source.texts(IDS.family), ['to the family']);
    assert.deepEqual(await source.texts(IDS.team), ['to the team']);
  });

  test('a chat that begins later is listed with its name, and its earlier messages are fetched', async (context) => {
    const { connect, say, model, store } = await startFixture(context);
    const source = await connect();
    await source.isState('connected');
    model.users.push({ _: 'user', id: 2_001, accessHash: Long.ONE, firstName: 'Bo' });
    const bo = { _: 'peerUser', userId: 2_001 } as const;

    model.add(bo, { message: 'sent before the chat was known', fromId: bo, date: now() - 60 });
    model.boxOf(bo).log.pop();
    model.boxOf(bo).pts -= 1;
    say(bo, 'hello');

    await source.arrived('2001', 'sent before the chat was known');
    const [chat] = await store.chats.resolve(undefined, '2001');
    assert.deepEqual([chat?.name, chat?.type], ['Bo', 'direct']);
  });

  test('all chats of an account with many are followed', async (context) => {
    const { connect, model, count } = await startFixture(context);
    for (let index = 0; index < 130; index++) {
      const id = 10_000 + index;
      model.users.push({ _: 'user', id, accessHash: Long.ONE, firstName: `User ${index}` });
      model.add({ _: 'peerUser', userId: id }, { message: `from ${index}`, date: now() - index });
    }

    const source = await connect();

    for (const index of [0, 110, 129]) await source.arrived(String(10_000 + index), `from ${index}`);
    assert.equal(count('messages.getDialogs'), 2);
  });

  test('a wait before the chats are known is shown, and a message is sent after it', async (context) => {
    const { connect, server } = await startFixture(context);
    server.flood('messages.getDialogs', 1);

    const source = await connect();
    await until('the wait is shown', async () => /limits requests/.test((await source.view()).problem ?? ''));
    await source.send({ chat: IDS.team, text: 'written early' });

    await source.arrived(IDS.team, 'written early');
    assert.equal(source.opened(), 1);
  });

  test('an error of the server while updates are fetched is not taken for no updates', async (context) => {
    const { connect, say, server } = await startFixture(context);
    const source = await connect();
    say(ann, 'before');
    await source.arrived(IDS.ann, 'before');
    await source.stop();
    say(ann, 'missed');
    server.fail('updates.getDifference', 400, 'SOMETHING_NEW');

    const again = await connect();
    await until('it is tried again', () => again.opened() > 1);
    server.fail('updates.getDifference');

    await again.arrived(IDS.ann, 'missed');
  });
});
