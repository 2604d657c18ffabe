import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { contextWith, personWith } from '../../tests/support/operation-context.ts';
import { openOutbox } from '../../tests/support/outbox/open-outbox.ts';
import { assertFails } from '../../tests/support/secrets/open-secrets.ts';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import type { OutboxItem, OutboxSubmission } from '../domain/outbox.ts';
import type { SendPolicy } from '../domain/policy.ts';
import { localPrincipal } from '../domain/principal.ts';
import { approveItem } from './operations/approve-item.ts';
import { listOutbox } from './operations/list-outbox.ts';
import { showItem } from './operations/show-item.ts';

const LOCAL = { principal: localPrincipal(), signal: new AbortController().signal };
const OFFER: OutboxSubmission = {
  sender: 'email',
  through: 'work',
  recipients: [
    { id: 'ann@example.org', name: 'Ann' },
    { id: 'bob@example.org', name: 'Bob' },
  ],
  summary: 'Offer',
  payload: { to: ['ann@example.org', 'bob@example.org'], subject: 'Offer', body: 'Dear both' },
  recipientField: 'to',
};

describe('submitting to a sender that is not chat', () => {
  test('sends the item', async (context) => {
    const { submit, sent } = await setting(context);

    const item = await submit(OFFER, LOCAL);

    assert.deepEqual([item.state, item.externalId], ['sent', '<1@example.org>']);
    assert.deepEqual(sent, [item.id]);
  });

  test('holds an item by the policy of the account, and shows the sender’s description to the person who approves it', async (context) => {
    const { submit, parts, sent } = await setting(context, { own: { send: 'hold' } });

    const held = await submit(OFFER, LOCAL);
    const shown = await showItem.run({ id: held.id }, contextWith(parts));
    const { items } = await listOutbox.run(listOutbox.input.parse({}), contextWith(parts));
    const meanwhile = [...sent];
    const approved = await approveItem.run({ id: held.id }, personWith(parts));

    assert.equal(held.reason, "The policy of account 'work' asks for a person’s approval.");
    assert.partialDeepStrictEqual(shown, {
      kind: 'email',
      source: 'work',
      to: 'Ann, Bob',
      summary: 'Offer',
      text: 'Dear both',
      details: { subject: 'Offer' },
    });
    assert.match(showItem.render?.(shown) ?? '', /held: "Dear both" to "Ann, Bob" through work.* subject: "Offer"\.$/);
    assert.match(listOutbox.render?.({ items }) ?? '', /held: "Offer" to "Ann, Bob" through work/);
    assert.deepEqual([meanwhile, approved.state, sent], [[], 'sent', [held.id]]);
  });

  test('refuses an item that a level denies, or whose list lacks a recipient', async (context) => {
    const { submit, store } = await setting(context, { own: { allowedRecipients: ['ann@example.org'] } });
    const bot = { ...LOCAL, principal: tokenPrincipal('bot', [], { policy: { send: 'deny' } }) };

    const refused = await assertFails(
      submit(OFFER, LOCAL),
      'FORBIDDEN',
      /^The policy of account 'work' does not allow/,
    );
    await assertFails(submit(OFFER, bot), 'FORBIDDEN', /^The policy of the token bot lets nothing leave/);
    const alone = await submit({ ...OFFER, recipients: OFFER.recipients.slice(0, 1) }, LOCAL);

    assert.equal(refused.field, 'to');
    assert.equal(alone.state, 'sent');
    assert.equal((await store.outbox.list()).length, 1);
  });

  test('sends once for one idempotency key, and refuses it with other content', async (context) => {
    const { submit, sent } = await setting(context);
    const once = { ...OFFER, idempotencyKey: 'k' };

    const [first, again] = [await submit(once, LOCAL), await submit(structuredClone(once), LOCAL)];
    const others = [
      { ...once, payload: { ...OFFER.payload, body: 'Dear all' } },
      { ...once, recipients: OFFER.recipients.slice(1) },
    ];

    assert.equal(again.id, first.id);
    for (const other of others) {
      const error = await assertFails(submit(other, LOCAL), 'CONFLICT', /another message\. Nothing was sent/);
      assert.equal(error.field, 'idempotency_key');
    }
    assert.deepEqual(sent, [first.id]);
  });

  test('knows an idempotency key also after a recipient was renamed', async (context) => {
    const { submit, sent } = await setting(context);
    const recipients = OFFER.recipients.map(({ id }) => ({ id, name: 'renamed' }));

    const first = await submit({ ...OFFER, idempotencyKey: 'k' }, LOCAL);
    const again = await submit({ ...OFFER, recipients, idempotencyKey: 'k' }, LOCAL);

    assert.deepEqual([again.id, sent.length], [first.id, 1]);
  });

  test('limits the size of an item, to the maximum of its sender where it has one', async (context) => {
    const { submit } = await setting(context);
    const small = await setting(context, { maxPayloadBytes: 50 });
    const sized = (length: number) => ({ ...OFFER, payload: { body: 'x'.repeat(length) } });

    await assertFails(submit(sized(1024 * 1024), LOCAL), 'TOO_LARGE', /at most 1048576/);
    await assertFails(small.submit(sized(51), LOCAL), 'TOO_LARGE', /at most 50/);

    assert.equal((await submit(sized(500_000), LOCAL)).state, 'sent');
  });

  test('shortens a long summary, not in the middle of a character', async (context) => {
    const { submit } = await setting(context);

    const { summary } = await submit({ ...OFFER, summary: `${'x'.repeat(199)}😀…` }, LOCAL);

    assert.equal(summary, `${'x'.repeat(199)}…`);
  });
});

test('limits the held and queued items of one principal', async (context) => {
  const { submit, store } = await setting(context, { own: { send: 'hold' } });
  const aborted = { ...LOCAL, signal: AbortSignal.abort() };
  for (let count = 0; count < 1_000; count += 1) await submit(OFFER, aborted);

  await assertFails(submit(OFFER, LOCAL), 'BUSY', /^local has 1000 items/);
  await submit(OFFER, { ...LOCAL, principal: tokenPrincipal('bot', []) });

  assert.equal((await store.outbox.list({ limit: 2_000 })).length, 1_001);
});

test('attack: text that was read again after an item was queued counts after its approval', async (context) => {
  const { submit, reads, clock } = await openOutbox(context, { kind: 'email' });
  const caller = { ...LOCAL, session: 's1', signal: AbortSignal.abort() };
  const stranger = { source: 'libera', chat: '#ops', name: '#ops' };
  await reads.note(caller, [stranger]);
  const queued = await submit(OFFER, caller);
  clock.advance(1_000);
  await reads.note(caller, [stranger]);

  // The policy has become stricter, so that it was held, and the person approves it.
  await reads.approved(queued);

  assert.partialDeepStrictEqual([queued.state, await reads.of(queued)], ['queued', [stranger]]);
});

/** An outbox with a sender of emails, whose account has this policy. */
async function setting(context: TestContext, { own, ...more }: { own?: SendPolicy; maxPayloadBytes?: number } = {}) {
  const sent: string[] = [];
  const outbox = await openOutbox(context, {
    kind: 'email',
    describe: ({ payload: { subject, body } }: OutboxItem) => ({
      text: String(body),
      details: { subject: String(subject) },
    }),
    async send({ id }) {
      sent.push(id);
      return { kind: 'sent', externalId: `<${sent.length}@example.org>` };
    },
    policyOf: async (account) => own && { whose: `The policy of account '${account}'`, policy: own },
    ...more,
  });
  outbox.dispatch.start();
  return { ...outbox, sent };
}
