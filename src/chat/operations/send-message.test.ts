import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { contextWith, silentLog } from '../../../tests/support/operation-context.ts';
import { itemThatIs, openOutbox } from '../../../tests/support/outbox/open-outbox.ts';
import { assertFails } from '../../../tests/support/secrets/open-secrets.ts';
import { tokenPrincipal } from '../../../tests/support/token-principal.ts';
import type { Outgoing, SendOutcome } from '../../connectors/connector.ts';
import type { OutboxId } from '../../domain/ids.ts';
import type { SendPolicy } from '../../domain/policy.ts';
import { chatSender } from '../sending.ts';
import type { SourceView } from '../sources.ts';
import { sendMessage } from './send-message.ts';

const SOURCES: readonly SourceView[] = ['hook', 'ops'].map((id) => ({
  id,
  kind: 'x',
  name: id,
  isConnected: true,
  canStream: true,
  canSend: id === 'ops',
  configuredIn: 'file',
  state: 'connected',
  howToConnect: '',
  everSynced: true,
  messages: 0,
}));
const find = async (id: string) => SOURCES.find((source) => source.id === id);

describe('sending a message', () => {
  test('returns the id of the stored message and its chat', async (context) => {
    const { send, sent, context: local } = await setting(context);

    const output = await send({ chat: 'development', text: 'hello' });

    const stored = await local.sendable.messages.byId(output.message_id ?? '');
    assert.partialDeepStrictEqual(output, { status: 'sent', chat_id: '#dev', chat: 'Development' });
    assert.deepEqual([stored?.text, stored?.isOwn, stored?.chat.id], ['hello', true, '#dev']);
    assert.deepEqual(
      sent.map(({ since: _, ...outgoing }) => outgoing),
      [{ id: output.outbox_id, chat: '#dev', text: 'hello' }],
    );
    assert.equal(sendMessage.render?.(output), `Sent to "Development" as message ${output.message_id}.`);
  });

  test('waits for the echo of the network, up to a limit', async (context) => {
    const late = await setting(context, { echo: 'later' });
    const never = await setting(context, { echo: 'never' });
    const limit = new AbortController();
    never.isWaiting.then(() => limit.abort());

    const [stored, unknown] = [
      await late.send({ chat: '#dev', text: 'hello' }),
      await never.send({ chat: '#dev', text: 'hello' }, { signal: limit.signal }),
    ];

    assert.equal((await late.store.messages.byId(stored.message_id ?? ''))?.text, 'hello');
    assert.deepEqual([unknown.status, unknown.message_id], ['sent', undefined]);
  });

  test('answers a message of the same chat, by the id of the network', async (context) => {
    const { send, sent, ids } = await setting(context);

    await send({ chat: '#dev', text: 'yes', reply_to: ids['#dev'] });

    assert.equal(sent[0]?.replyTo, 'net-0');
    for (const reply_to of [ids['#ops'], '999', 'x']) {
      const error = await assertFails(send({ chat: '#dev', text: 'yes', reply_to }), 'MESSAGE_NOT_FOUND', /this chat/);
      assert.equal(error.field, 'reply_to');
    }
    assert.equal(sent.length, 1);
  });

  test('returns queued while the source is not connected', async (context) => {
    const { send } = await setting(context, {
      network: async () => ({ kind: 'not-sent', reason: 'The source is not connected.', retry: true }),
    });

    const output = await send({ chat: '#dev', text: 'hello' });

    assert.deepEqual(
      [output.status, output.reason, output.message_id],
      ['queued', 'The source is not connected.', undefined],
    );
    assert.match(sendMessage.render?.(output) ?? '', /^Queued: not sent to "Development" yet/);
    assert.equal(sendMessage.cli?.failed?.(output), false);
  });

  test('never reports as sent what was not', async (context) => {
    const failed = await setting(context, {
      network: async () => ({ kind: 'not-sent', reason: 'Nobody is there.', retry: false }),
    });
    const uncertain = await setting(context, { network: () => Promise.reject(new Error('reset')) });

    const outputs = [
      await failed.send({ chat: '#dev', text: 'hello' }),
      await uncertain.send({ chat: '#dev', text: 'hello' }),
    ];

    assert.deepEqual(
      outputs.map(({ status }) => status),
      ['failed', 'uncertain'],
    );
    const [no, perhaps] = outputs.map((output) => sendMessage.render?.(output) ?? '');
    assert.match(no ?? '', /^Not sent to "Development" .* Nobody is there\.$/);
    assert.match(perhaps ?? '', /^It is not known whether this was sent .* do not send it again/);
    assert.deepEqual(
      outputs.map((output) => sendMessage.cli?.failed?.(output)),
      [true, true],
    );
  });

  test('waits for approval if one level of the policy requires it', async (context) => {
    const { send, sent, store } = await setting(context, { general: { send: 'allow' }, own: { send: 'hold' } });

    const output = await send({ chat: '#dev', text: 'hello' });

    assert.deepEqual(
      [output.status, output.reason],
      ['held', "The policy of source 'ops' asks for a person’s approval."],
    );
    assert.deepEqual(sent, []);
    await store.outbox.change(output.outbox_id as OutboxId, { kind: 'approve', by: 'local' });
    await itemThatIs(store, output.outbox_id as OutboxId, 'sent');
    assert.equal(sent.length, 1);
  });

  test('is refused if the policy denies it, and stores nothing', async (context) => {
    const { send, store } = await setting(context, { general: { allowedRecipients: ['#ops', '#dev'] } });
    const bot = { principal: tokenPrincipal('bot', [], { policy: { send: 'deny' } }) };

    await assertFails(send({ chat: 'bob', text: 'hello' }), 'FORBIDDEN', /^The general policy does not allow/);
    await assertFails(send({ chat: '#dev', text: 'x' }, bot), 'FORBIDDEN', /^The policy of the token bot lets nothing/);

    assert.deepEqual(await store.outbox.list(), []);
    assert.equal((await send({ chat: '#dev', text: 'hello' })).status, 'sent');
  });

  test('sends one message per idempotency key; another message requires another key', async (context) => {
    const { send, sent } = await setting(context);
    const message = { chat: '#dev', text: 'once', idempotency_key: 'k' };

    const outputs = [await send(message), await send(message)];

    assert.deepEqual(outputs[0], outputs[1]);
    assert.equal(sent.length, 1);
    for (const text of ['a', 'b', 'b']) await send({ ...message, text, idempotency_key: '', reply_to: '' });
    assert.equal(sent.length, 4);
    const error = await assertFails(send({ ...message, text: 'other' }), 'CONFLICT', /another message/);
    assert.equal(error.field, 'idempotency_key');
    assert.equal(sent.length, 4);
  });

  test('requires a known source that can send', async (context) => {
    const { send } = await setting(context);

    const unknown = await assertFails(
      send({ source: 'signal', chat: 'x', text: 'x' }),
      'SOURCE_NOT_FOUND',
      /^Source 'signal' not found$/,
    );
    const mute = await assertFails(
      send({ source: 'hook', chat: 'x', text: 'x' }),
      'INVALID_PARAMETER',
      /^Nothing can be sent through source 'hook'/,
    );

    assert.deepEqual([unknown.field, unknown.hint, mute.field], ['source', 'There are: hook, ops.', 'source']);
  });

  test('requires a text', () => {
    const valid = (text: string) => sendMessage.input.safeParse({ source: 'ops', chat: 'x', text }).success;

    assert.deepEqual(['', ' \n', 'x'.repeat(65_537), 'x', '\nx'].map(valid), [false, false, false, true, true]);
  });

  test('begins a new chat with an address', async (context) => {
    const { send, sent } = await setting(context);

    const output = await send({ chat: 'bob', text: 'hello' });

    assert.deepEqual([output.status, output.chat_id, sent[0]?.chat], ['sent', 'bob', 'bob']);
    assert.notEqual(output.message_id, undefined);
  });
});

interface Setting {
  network?(source: string, outgoing: Outgoing): Promise<SendOutcome>;
  general?: SendPolicy;
  own?: SendPolicy;
  /** When the network echoes a sent message. */
  echo?: 'at once' | 'later' | 'never';
}

/** A source with two chats whose network echoes sent messages, and a source that only receives. */
async function setting(context: TestContext, { network, general, own, echo = 'at once' }: Setting = {}) {
  const sent: Outgoing[] = [];
  const listening = Promise.withResolvers<void>();
  const { store, dispatch, clock, submit } = await openOutbox(
    context,
    chatSender({
      send,
      wasSent: async () => ({ kind: 'unknown', reason: '' }),
      policyOf: async (source) => ({ whose: `The policy of source '${source}'`, policy: own }),
      log: silentLog,
    }),
    { generalPolicy: async () => general ?? {} },
  );
  const ids: Record<string, string> = {};
  for (const [index, [id, name]] of [['#dev', 'Development'] as const, ['#ops', 'Operations'] as const].entries()) {
    await record(id, `net-${index}`, 'hello?', { name });
    const chat = (await store.chats.resolve(['ops'], id))[0];
    ids[id] = (await store.messages.byExternalId(chat?.key ?? 0, `net-${index}`))?.id ?? '';
  }
  dispatch.start();

  async function send(source: string, outgoing: Outgoing): Promise<SendOutcome> {
    if (network) return network(source, outgoing);
    sent.push(outgoing);
    const id = `net-${outgoing.id}`;
    const repeat = () => record(outgoing.chat, id, outgoing.text, { isOwn: true });
    if (echo === 'at once') await repeat();
    if (echo === 'later') listening.promise.then(repeat);
    return { kind: 'sent', id };
  }

  async function record(chat: string, id: string, text: string, { name = '', isOwn = false }): Promise<void> {
    const sender = { id: 'ada', name: 'Ada' };
    const message = { chat: { id: chat, ...(name && { name }) }, id, sender, text, isOwn, at: clock.now() };
    await store.messages.record({ source: 'ops', origin: 'live', events: [{ kind: 'message', message }] });
  }

  const parts = contextWith({
    sendable: {
      sources: { list: async () => SOURCES, describe: async () => SOURCES, find },
      chats: store.chats,
      messages: store.messages,
    },
    sending: {
      addressOf: async (_: string, text: string) =>
        /^[a-z]+$/.test(text) && text !== 'development' ? text : undefined,
    },
    async listen(listener: Parameters<typeof store.events.listen>[0]) {
      setImmediate(listening.resolve);
      return store.events.listen(listener);
    },
    outbox: { submit },
  });
  return {
    sent,
    ids,
    store,
    /** The message was sent, and the caller waits for its echo. */
    isWaiting: listening.promise,
    context: parts,
    send: (input: object, more: object = {}) =>
      sendMessage.run(sendMessage.input.parse({ source: 'ops', ...input }), { ...parts, ...more }),
  };
}
