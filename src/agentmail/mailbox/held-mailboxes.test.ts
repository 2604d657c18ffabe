import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { standAt, temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import { systemClock } from '../../lib/clock.ts';
import { flock } from '../../lib/flock.ts';
import { createPostOffice } from '../delivery/post-office.ts';
import { createHeldMailboxes } from './held-mailboxes.ts';
import { mailboxPath } from './mailbox.ts';

const FAR_AWAY_MS = 3_600_000;
const warn = () => {};

async function mailboxWith(...messages: string[]) {
  const root = temporaryRepository(after);
  const post = createPostOffice({ clock: systemClock, warn });
  after(() => post.close());
  const at = (name: string) => standAt(root, name, ['a1', 'a2']);
  for (const message of messages) await post.send(at('a1'), 'a2', message);
  return { post, me: at('a2'), mailbox: mailboxPath(join(root, '.agentmail'), 'a2') };
}

async function isLocked(mailbox: string): Promise<boolean> {
  const file = openSync(mailbox, 'r');
  try {
    return !(await flock(file, 'shared', 0));
  } finally {
    closeSync(file);
  }
}

describe('a mailbox whose letter is delivered', () => {
  for (const [name, finish] of [
    ['marked as read', 'done'],
    ['released', 'release'],
  ] as const) {
    test(`is locked for other programs until the letter is ${name}`, async () => {
      const { post, me, mailbox } = await mailboxWith('hello');

      const taken = await post.take(me);
      const before = await isLocked(mailbox);
      await taken?.[finish]();

      assert.deepEqual([before, await isLocked(mailbox)], [true, false]);
    });
  }

  test('is unlocked after a time even if the reader does not finish, and the letter can still be marked', async () => {
    const { mailbox } = await mailboxWith('hello');
    const held = createHeldMailboxes(1);

    const holding = await held.hold(mailbox, warn, (box) => box.firstUnread(undefined, () => true).first);
    while (await isLocked(mailbox)) await sleep(1);
    const { letter, start } = holding?.found ?? assert.fail('no letter');
    await holding?.use((box) => box.markRead(letter.id, start, undefined));

    assert.equal(await held.hold(mailbox, warn, (box) => box.firstUnread(undefined, () => true).first), undefined);
  });

  test('is unlocked for the next reader in this process, whose answer may be sent together with the first', async () => {
    const { mailbox } = await mailboxWith('one', 'two');
    const held = createHeldMailboxes(FAR_AWAY_MS);
    const find = () => held.hold(mailbox, warn, (box) => box.firstUnread(undefined, () => true).first);

    const one = await find();
    const others = await Promise.all([find(), find(), find()]);

    for (const each of [one, ...others]) each?.giveUp();
    assert.deepEqual(
      [one, ...others].map((each) => each?.found.letter.message),
      ['one', 'one', 'one', 'one'],
    );
    assert.equal(await isLocked(mailbox), false);
  });

  test('is unlocked if nothing is found in it, or the search fails', async () => {
    const { mailbox } = await mailboxWith('one');
    const held = createHeldMailboxes(FAR_AWAY_MS);

    const nothing = await held.hold(mailbox, warn, () => undefined);
    const afterNothing = await isLocked(mailbox);
    await assert.rejects(held.hold(mailbox, warn, () => assert.fail('damaged')));

    assert.deepEqual([nothing, afterNothing, await isLocked(mailbox)], [undefined, false, false]);
  });
});
