import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import { openDeliveryState } from '../delivery/delivery-state.ts';
import { appendLetter, mailboxPath, readLetters, withMailbox } from '../mailbox/mailbox.ts';
import { type BounceParts, bounceLetters } from './bounce.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const GONE = { name: 'gone', window: '1:1:@9' };
const GONE_WORDS = 'was not read: its window is gone.';

describe('a letter to a closed window', () => {
  test('is bounced to a sender without a window', async () => {
    const { send, bounce, mailOf, state } = setting();
    const id = await send({ name: 'remote' });

    const { done } = await bounce();

    assert.equal(done.length, 1);
    assert.deepEqual(await mailOf('remote'), [`Message #${id} to gone ${GONE_WORDS}`]);
    assert.equal(state.sentBy({ name: 'remote' }, 1)[0]?.state, 'bounced');
  });

  test('from a closed window is stored as bounced, and no letter is sent', async () => {
    const { send, bounce, mailOf, state } = setting();
    await send({ name: 'a1', window: '1:1:@8' });

    await bounce();

    assert.deepEqual(await mailOf('a1'), []);
    assert.equal(state.sentBy({ name: 'a1', window: '1:1:@8' }, 1)[0]?.state, 'bounced');
  });

  test('is not stored as bounced before its sender was notified, and does not delay others', async () => {
    const { send, bounce, mailOf, main, warnings } = setting();
    const id = await send({ name: 'a1' });
    await send({ name: 'a2' });
    mkdirSync(mailboxPath(main, 'a1'));

    const first = await bounce();
    await bounce();
    const meanwhile = (await mailOf('a2')).length;
    rmdirSync(mailboxPath(main, 'a1'));
    await bounce();

    assert.deepEqual([first.done.length, first.againInMs, warnings.length, meanwhile], [1, 10_000, 1, 1]);
    assert.deepEqual(await mailOf('a1'), [`Message #${id} to gone ${GONE_WORDS}`]);
  });

  test('is bounced only once if its state cannot be stored', async () => {
    const { send, bounce, mailOf, state } = setting();
    await send({ name: 'a1' });
    state.bounced = () => {};

    await bounce();
    await bounce();

    assert.equal((await mailOf('a1')).length, 1);
  });

  test('is fetched if its mailbox has it as read', async () => {
    const { send, bounce, mailOf, main, state } = setting();
    const id = await send({ name: 'a1' });
    await withMailbox(
      mailboxPath(main, 'gone'),
      () => {},
      (box) => box.markRead(id, 0, undefined),
    );

    await bounce();

    assert.deepEqual(await mailOf('a1'), []);
    assert.equal(state.sentBy({ name: 'a1' }, 1)[0]?.state, 'fetched');
  });

  test('does not count as read if it is missing from its mailbox', async () => {
    const { send, bounce, mailOf, main, state } = setting();
    const id = await send({ name: 'a1' });
    rmSync(mailboxPath(main, 'gone'));

    await bounce();

    assert.deepEqual(await mailOf('a1'), [
      `Message #${id} to gone is gone: its window is closed, and another program has removed the message from its mailbox, perhaps after reading it.`,
    ]);
    assert.equal(state.sentBy({ name: 'a1' }, 1)[0]?.state, 'bounced');
  });
});

function setting() {
  const main = join(temporaryRepository(after), '.agentmail');
  const state = openDeliveryState(main);
  after(() => state.close());
  const warnings: string[] = [];
  const parts: BounceParts = {
    main,
    state,
    clock: { now: () => NOW + 60_000 },
    view: { alive: [], windows: [], everyWindow: new Set(['1:1:@1']), servers: new Set(['1:1']) },
    returned: new Map(),
    warn: (message) => warnings.push(message),
  };
  return {
    main,
    state,
    warnings,
    bounce: () => bounceLetters(parts),
    /** A letter to a window that was closed. */
    async send(from: { name: string; window?: string }): Promise<string> {
      const mailbox = mailboxPath(main, GONE.name);
      const letter = { from: from.name, to: GONE.name, message: 'hello' };
      const { id } = await appendLetter(mailbox, letter, { clock: { now: () => NOW }, warn: parts.warn });
      state.stored({ id, mailbox: 'mailboxes/gone.jsonl', from, to: GONE, storedAt: NOW, preview: 'hello' });
      return id;
    },
    mailOf: async (name: string) => (await readLetters(mailboxPath(main, name))).map(({ message }) => message),
  };
}
