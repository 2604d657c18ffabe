import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notSent, sentAs } from '../support/connectors/outcomes.ts';
import { until } from '../support/mcp/shim-program.ts';
import { ann, family, IDS, startFixture, team } from '../support/telegram/fixture.ts';

describe('sending to Telegram', { timeout: 120_000 }, () => {
  test('the same message is sent once, however often it is tried', async (context) => {
    const { connect, model } = await startFixture(context);
    const source = await connect();
    await source.isState('connected');
    const outgoing = { id: 'one', chat: IDS.team, text: 'once' };

    await source.sendAs(outgoing);
    await source.sendAs(outgoing);
    const looked = await source.wasSent({ ...outgoing, since: Date.now() });

    await source.arrived(IDS.team, 'once');
    assert.equal(looked.kind, 'sent');
    assert.equal(model.boxOf(team).messages.length, 1);
  });

  test('a message whose answer was lost is found to be sent, and is stored once', async (context) => {
    const { connect, model, server } = await startFixture(context);
    const source = await connect();
    await source.isState('connected');
    const outgoing = { id: 'lost', chat: IDS.ann, text: 'did it arrive?' };
    server.model.events.once('message', () => server.cut());

    await assert.rejects(source.sendAs(outgoing));
    const look = () => source.wasSent({ ...outgoing, since: Date.now() });
    await until('it is found', async () => (await look()).kind === 'sent');

    const message = await source.arrived(IDS.ann, 'did it arrive?');
    assert.equal(message.isOwn, true);
    assert.equal(model.boxOf(ann).messages.length, 1);
    assert.equal((await source.texts(IDS.ann)).length, 1);
  });

  test('what may have been sent long ago stays unknown', async (context) => {
    const { connect } = await startFixture(context);
    const source = await connect();
    await source.isState('connected');

    const looked = await source.wasSent({ id: 'old', chat: IDS.ann, text: 'old', since: Date.now() - 7_200_000 });

    assert.equal(looked.kind, 'unknown');
  });

  test('a username is an address, and a message to it is stored in its chat', async (context) => {
    const { connect, server } = await startFixture(context);
    const source = await connect();
    await source.isState('connected');
    const address = source.current()?.addressOf?.('@Ann_Li') ?? '';

    await source.send({ chat: '@ann_li', text: 'by name' });

    assert.equal(address, IDS.ann);
    assert.equal(source.current()?.addressOf?.('ann'), undefined);
    await server.heard(ann, 'by name');
    await source.arrived(IDS.ann, 'by name');
    notSent(await source.attempt({ chat: '@nobody_here', text: 'to nobody' }));
  });

  test('a small group is written to, and saved messages are a chat', async (context) => {
    const { connect, server } = await startFixture(context);
    const source = await connect();
    await source.isState('connected');

    await source.send({ chat: IDS.family, text: 'to the family' });
    await source.send({ chat: '1000', text: 'a note' });

    await server.heard(family, 'to the family');
    assert.equal((await source.arrived(IDS.family, 'to the family')).isOwn, true);
    assert.equal((await source.arrived('1000', 'a note')).chat.name, 'Saved Messages');
  });

  for (const [code, error, reason, retry] of [
    [403, 'CHAT_WRITE_FORBIDDEN', /does not allow to write/, false],
    [400, 'PEER_FLOOD', /has limited your account/, false],
    [420, 'FLOOD_WAIT_3600', /wait for 60 minutes/, true],
  ] as const) {
    test(`${error}: it was not sent, and why is said in our own text`, async (context) => {
      const { connect, server } = await startFixture(context);
      const source = await connect();
      await source.isState('connected');
      server.fail('messages.sendMessage', code, error);

      const outcome = await source.attempt({ chat: IDS.ann, text: 'hello' });

      assert.ok(outcome.kind === 'not-sent');
      assert.match(outcome.reason, reason);
      assert.equal(outcome.retry, retry);
    });
  }

  test('a text that is too long is refused with the limit', async (context) => {
    const { connect } = await startFixture(context);
    const source = await connect();
    await source.isState('connected');

    const outcome = await source.attempt({ chat: IDS.ann, text: 'x'.repeat(4_097) });

    assert.match(outcome.kind === 'not-sent' ? outcome.reason : outcome.kind, /at most 4,096 characters/);
    sentAs(await source.attempt({ chat: IDS.ann, text: 'x'.repeat(4_096) }));
  });
});
