import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLog } from '../../tests/support/operation-context.ts';
import type { LookOutcome, SendOutcome } from '../connectors/connector.ts';
import type { OutboxId } from '../domain/ids.ts';
import type { OutboxItem } from '../domain/outbox.ts';
import { chatSender, type Sending, toPayload } from './sending.ts';

const ITEM: OutboxItem = {
  id: 'item-1' as OutboxId,
  sender: 'chat',
  through: 'ops',
  lane: '#dev',
  recipients: [{ id: '#dev', name: 'Development' }],
  summary: 'hello',
  payload: toPayload({ chat: '#dev', text: 'hello', replyTo: 'net-3' }),
  principal: 'local',
  state: 'sending',
  attempts: 1,
  createdAt: 1,
  changedAt: 1,
  dueAt: 1,
};

describe('a chat message from the outbox', () => {
  test('is sent with our id, its text and the id of the message it replies to, and gets the id of the network', async () => {
    const asked: unknown[] = [];
    const sender = chatSender(
      network(async (source, outgoing) => {
        asked.push(source, outgoing);
        return { kind: 'sent', id: 'net-7' };
      }),
    );

    const attempt = await sender.send(ITEM);

    assert.deepEqual(attempt, { kind: 'sent', externalId: 'net-7' });
    assert.deepEqual(asked, ['ops', { id: 'item-1', chat: '#dev', text: 'hello', replyTo: 'net-3', since: 1 }]);
  });

  test('is sent even if the network returns no id', async () => {
    assert.deepEqual(await chatSender(network(async () => ({ kind: 'sent' }))).send(ITEM), { kind: 'sent' });
  });

  test('is not sent if the connection reports so, with its reason', async () => {
    const outcomes: SendOutcome[] = [
      { kind: 'not-sent', reason: 'Not connected.', retry: true },
      { kind: 'not-sent', reason: 'No such channel.', retry: false },
    ];

    for (const outcome of outcomes) {
      assert.deepEqual(await chatSender(network(async () => outcome)).send(ITEM), outcome);
    }
  });

  test('without a chat or text is not sent', async () => {
    const attempt = await chatSender(network()).send({ ...ITEM, payload: {} });

    assert.deepEqual(attempt, { kind: 'not-sent', reason: 'This is no chat message.', retry: false });
  });

  test('has an unknown outcome after any other failure, whose text is only logged', async () => {
    const sender = chatSender(network(() => Promise.reject(new Error('<b>reset by peer</b>'))));

    const attempt = await sender.send(ITEM);

    assert.equal(attempt.kind, 'unknown');
    assert.doesNotMatch(JSON.stringify(attempt), /reset/);
  });

  test('is described by its chat and its whole text', () => {
    assert.deepEqual(chatSender(network()).describe(ITEM), { chat_id: '#dev', text: 'hello' });
  });

  test('is searched for on the network', async () => {
    const look = async (answer: LookOutcome) => chatSender(network(undefined, async () => answer)).look(ITEM);

    assert.deepEqual(await look({ kind: 'sent', id: 'net-7' }), { kind: 'sent', externalId: 'net-7' });
    assert.deepEqual(await look({ kind: 'absent' }), { kind: 'absent' });
    assert.deepEqual(await look({ kind: 'unknown', reason: '' }), { kind: 'unknown' });
    const broken = chatSender(network(undefined, () => Promise.reject(new Error('no archive'))));
    assert.deepEqual(await broken.look(ITEM), { kind: 'unknown' });
    assert.deepEqual(await chatSender(network()).look({ ...ITEM, payload: {} }), { kind: 'unknown' });
  });
});

function network(
  send: Sending['send'] = async () => ({ kind: 'sent' }),
  wasSent: Sending['wasSent'] = async () => ({ kind: 'unknown', reason: '' }),
): Parameters<typeof chatSender>[0] {
  return { send, wasSent, log: silentLog };
}
