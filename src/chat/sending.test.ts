import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLog } from '../../tests/support/operation-context.ts';
import type { LookOutcome, SendOutcome } from '../connectors/connector.ts';
import type { OutboxId } from '../domain/ids.ts';
import type { OutboxItem } from '../domain/outbox.ts';
import type { SendPolicy } from '../domain/policy.ts';
import { chatSender, type Sending, toPayload } from './sending.ts';

const ITEM: OutboxItem = {
  id: 'item-1' as OutboxId,
  sender: 'chat',
  through: 'ops',
  lane: '#dev',
  payload: toPayload({ chat: '#dev', text: 'hello', replyTo: 'net-3' }, 'Development'),
  principal: 'local',
  state: 'sending',
  attempts: 1,
  createdAt: 1,
  changedAt: 1,
  dueAt: 1,
};

describe('a chat message from the outbox', () => {
  test('leaves with our id, its text and what it answers, and comes back with the id of the network', async () => {
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

  test('is sent though the network gives no id', async () => {
    assert.deepEqual(await chatSender(network(async () => ({ kind: 'sent' }))).send(ITEM), { kind: 'sent' });
  });

  test('surely did not leave where the connection says so, in its words', async () => {
    const outcomes: SendOutcome[] = [
      { kind: 'not-sent', reason: 'Not connected.', retry: true },
      { kind: 'not-sent', reason: 'No such channel.', retry: false },
    ];

    for (const outcome of outcomes) {
      assert.deepEqual(await chatSender(network(async () => outcome)).send(ITEM), outcome);
    }
  });

  test('that is none is not sent', async () => {
    const attempt = await chatSender(network()).send({ ...ITEM, payload: {} });

    assert.deepEqual(attempt, { kind: 'not-sent', reason: 'This is no chat message.', retry: false });
  });

  test('may have left after any other failure, whose words stay in the log', async () => {
    const sender = chatSender(network(() => Promise.reject(new Error('<b>reset by peer</b>'))));

    const attempt = await sender.send(ITEM);

    assert.equal(attempt.kind, 'unknown');
    assert.doesNotMatch(JSON.stringify(attempt), /reset/);
  });

  test('does not leave, nor is asked for by sending it again, where the policy has come to deny it', async () => {
    const asked: string[] = [];
    const ask = async (source: string) => {
      asked.push(source);
      return { kind: 'sent' } as const;
    };

    const outcomes: unknown[] = [];
    for (const policy of [{ send: 'deny' }, { allowedRecipients: ['#ops'] }] as const) {
      const sender = chatSender(network(ask, ask, policy));
      outcomes.push(await sender.send(ITEM), await sender.look(ITEM));
    }

    const denied = (reason: string) => ({ kind: 'not-sent', reason, retry: false });
    assert.deepEqual(outcomes, [
      denied('The general policy lets nothing leave.'),
      'unknown',
      denied('The general policy does not allow this recipient.'),
      'unknown',
    ]);
    assert.deepEqual(asked, []);
  });

  test('leaves once it was approved, though the policy holds', async () => {
    assert.deepEqual(await chatSender(network(undefined, undefined, { send: 'hold' })).send(ITEM), { kind: 'sent' });
  });

  test('is looked for where the network can be asked', async () => {
    const look = async (answer: LookOutcome) => chatSender(network(undefined, async () => answer)).look(ITEM);

    assert.deepEqual(await look({ kind: 'sent', id: 'net-7' }), { kind: 'sent', externalId: 'net-7' });
    assert.equal(await look({ kind: 'absent' }), 'absent');
    assert.equal(await look({ kind: 'unknown', reason: '' }), 'unknown');
    const broken = chatSender(network(undefined, () => Promise.reject(new Error('no archive'))));
    assert.equal(await broken.look(ITEM), 'unknown');
  });
});

function network(
  send: Sending['send'] = async () => ({ kind: 'sent' }),
  wasSent: Sending['wasSent'] = async () => ({ kind: 'unknown', reason: '' }),
  policy: SendPolicy = {},
): Parameters<typeof chatSender>[0] {
  return { send, wasSent, policies: async () => [{ whose: 'The general policy', policy }], log: silentLog };
}
