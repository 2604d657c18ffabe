import assert from 'node:assert/strict';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import type { Hint } from '../delivery/delivery-state.ts';
import { appendLetter, mailboxPath, readUnread, withMailbox } from './mailbox.ts';
import { createUnreadReader } from './unread-reader.ts';

const CLOCK = { now: () => Date.parse('2026-03-01T12:00:00Z') };
const warn = () => {};

describe('reading unread letters repeatedly', () => {
  test('does not open an unchanged mailbox, and sees every change', async () => {
    const { main, mailbox, write } = setting();
    let opened = 0;
    const hint = () => {
      opened += 1;
      return undefined;
    };
    const read = createUnreadReader({ hint }, main);
    await write('one');
    settle(mailbox, 100);

    const looks = [await read(mailbox), await read(mailbox)];
    const openedOnce = opened;
    await write('two');
    looks.push(await read(mailbox), await read(mailbox));

    assert.deepEqual(looks.map(texts), [['one'], ['one'], ['one', 'two'], ['one', 'two']]);
    assert.deepEqual([openedOnce, opened], [1, 3]);
  });

  test('sees that a letter was read, although the file size is unchanged', async () => {
    const { main, mailbox, write } = setting();
    const read = createUnreadReader({ hint: () => undefined }, main);
    const { id } = await write('one');
    settle(mailbox, 100);
    await read(mailbox);

    await withMailbox(mailbox, warn, (box) => box.markRead(id, 0, undefined));

    assert.deepEqual(await read(mailbox), []);
  });

  test('returns nothing without a mailbox', async () => {
    const { main } = setting();

    assert.deepEqual(await createUnreadReader({ hint: () => undefined }, main)(mailboxPath(main, 'nobody')), []);
  });
});

describe('the unread letters of a mailbox', () => {
  test('are searched after the hint only', async () => {
    const { mailbox, write, hintAfterReading } = setting();
    await write('first');
    await write('second');
    await write('third');
    const hint = await hintAfterReading();
    // Lines before the hint are not read, except the one that the hint names: otherwise this letter would be found.
    const text = readFileSync(mailbox, 'utf8');
    writeFileSync(mailbox, text.replace('"read_flag":true ', '"read_flag":false'));

    assert.deepEqual(texts(await readUnread(mailbox, hint)), ['third']);
    assert.deepEqual(texts(await readUnread(mailbox, undefined)), ['first', 'third']);
  });

  test('are all found if the hint is outdated, also after a fragment', async () => {
    const { mailbox, write, hintAfterReading } = setting();
    await write('first');
    await write('second');
    await write('third');
    const hint = await hintAfterReading();
    const [, ...rest] = readFileSync(mailbox, 'utf8').split('\n');
    writeFileSync(mailbox, `{"id":"frag${rest.join('\n')}`);

    assert.deepEqual(texts(await readUnread(mailbox, hint)), ['third']);
  });
});

function texts(letters: readonly { message: string }[]): string[] {
  return letters.map(({ message }) => message);
}

/** Sets the modification time of the file to the past. */
function settle(mailbox: string, secondsAgo: number): void {
  const then = Math.floor(Date.now() / 1_000) - secondsAgo;
  utimesSync(mailbox, then, then);
  assert.ok(statSync(mailbox).size > 0);
}

function setting() {
  const main = join(temporaryRepository(after), '.agentmail');
  const mailbox = mailboxPath(main, 'a1');
  const write = (message: string) => appendLetter(mailbox, { from: 'a2', to: 'a1', message }, { clock: CLOCK, warn });
  return {
    main,
    mailbox,
    write,
    /** The hint after the first two letters were marked as read. */
    hintAfterReading: () =>
      withMailbox(mailbox, warn, (box) => {
        let hint: Hint | undefined;
        for (let at = 0; at < 2; at += 1) {
          const found = box.firstUnread(hint, () => true);
          hint = box.markRead(found.first?.letter.id ?? '', found.first?.start ?? 0, found.hint)?.hint;
        }
        return hint;
      }),
  };
}
