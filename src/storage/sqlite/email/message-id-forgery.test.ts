import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mailToStore } from '../../../../tests/support/email/mail-samples.ts';
import { silentLog } from '../../../../tests/support/operation-context.ts';
import { openStore } from '../../../../tests/support/store/open-store.ts';
import type { MailToStore } from '../../../email/ports.ts';
import { systemClock } from '../../../lib/clock.ts';

async function openMail() {
  const store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
  const folder = { path: 'INBOX', names: ['INBOX'], isSelectable: true };
  const [inbox] = await store.email.mail.saveFolders('work', [folder]);
  const record = (mails: readonly MailToStore[]) =>
    store.email.mail.record({ account: 'work', folder: inbox?.key ?? 0, mails, origin: 'newer' });
  return { store, record };
}

test('an email cannot take the place of another by naming its hash as its Message-ID', async () => {
  const { store, record } = await openMail();
  const first = mailToStore(1);
  // Has the Message-ID of the first one, and is therefore known by its hash, which its sender can compute.
  const second = { ...mailToStore(1, { email: { text: 'Another text' } }), uid: 2 };
  const forged = mailToStore(3, {
    email: { rfcMessageId: second.identity, references: ['m1@example.test'], text: 'Forged' },
  });

  await record([first, second]);
  const { added } = await record([forged]);

  assert.equal(added, 1);
  assert.equal((await store.messages.extent('work')).count, 3);
  await store.close();
});

test('whatever ids senders choose, every email is stored, and stored once', async () => {
  const texts = ['a', 'b', 'c'];
  const identityOf = (rfcMessageId: string | undefined, text: string) => `${rfcMessageId ?? ''}/${text}`;
  const id = fc.constantFrom('x', 'y', ...texts.map((text) => identityOf('x', text)), identityOf(undefined, 'a'));
  const email = fc.record({
    rfcMessageId: fc.option(id, { nil: undefined }),
    inReplyTo: fc.option(id, { nil: undefined }),
    references: fc.array(id, { maxLength: 3 }),
    text: fc.constantFrom(...texts),
  });

  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(email, { maxLength: 4 }), { maxLength: 5 }), async (batches) => {
      const { store, record } = await openMail();
      let uid = 0;
      const mails = batches.map((batch) =>
        batch.map(({ rfcMessageId, inReplyTo, references, text }) => {
          const { email: usual, ...rest } = mailToStore(1, { email: { references, text } });
          const { rfcMessageId: _, ...others } = usual;
          const ids = { ...(rfcMessageId ? { rfcMessageId } : {}), ...(inReplyTo ? { inReplyTo } : {}) };
          const parsed = { ...others, ...ids };
          return { ...rest, uid: ++uid, email: parsed, identity: identityOf(rfcMessageId, text) };
        }),
      );

      for (const batch of mails) await record(batch);

      const { count } = await store.messages.extent('work');
      assert.equal(count, new Set(mails.flat().map(({ identity }) => identity)).size);
      assert.deepEqual(await store.admin.check(), { ok: true, problems: [] });
      await store.close();
    }),
    { numRuns: 40 },
  );
});
