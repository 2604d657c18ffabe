import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { standAt, temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import { systemClock } from '../../lib/clock.ts';
import { createPostOffice } from '../delivery/post-office.ts';
import { type Cleanup, cleanUp } from './cleanup.ts';
import { encodeLine, timestamp } from './line.ts';
import { readLetters } from './mailbox.ts';

const HOUR = 3_600_000;
const NOW = Date.now();

function repository() {
  const root = temporaryRepository(after);
  const folder = join(root, '.agentmail');
  mkdirSync(join(folder, 'mailboxes'), { recursive: true });
  const mailbox = (name: string) => join(folder, 'mailboxes', `${name}.jsonl`);
  return {
    root,
    folder,
    mailbox,
    fill(name: string, ...lines: string[]) {
      writeFileSync(mailbox(name), lines.join(''));
    },
    messages: async (name: string) => (await readLetters(mailbox(name))).map(({ message }) => message),
    clean: (options: Partial<Cleanup> = {}) =>
      cleanUp({
        mailFolders: standAt(root, 'a1', ['a1']).mailFolders,
        windows: ['a1', 'a2'],
        staleHours: 48,
        deliveredHours: 2,
        dryRun: false,
        clock: { now: () => NOW },
        warn: () => {},
        ...options,
      }),
  };
}

function letter(message: string, isRead: boolean, ageHours?: number): string {
  const time = ageHours === undefined ? {} : { createdAt: timestamp(NOW - ageHours * HOUR) };
  return encodeLine({ id: `id-${message}`, from: 'a1', to: 'a2', message, isRead, ...time });
}

function presence(name: string, ageHours: number): string {
  return `{"recipient":"${name}","status":"ready","updated_at":"${timestamp(NOW - ageHours * HOUR)}","notified_at":"0001-01-01T00:00:00Z"}\n`;
}

describe('a cleanup', () => {
  test('removes letters that were read long ago, and no others', async () => {
    const { clean, fill, messages } = repository();
    const zero = letter('zero time', true).replace(
      '"read_flag":true',
      '"read_flag":true,"created_at":"0001-01-01T00:00:00Z"',
    );
    fill(
      'a2',
      letter('old', true, 3),
      letter('unread', false, 99),
      letter('new', true, 1),
      letter('timeless', true),
      zero,
    );

    const report = await clean();

    assert.deepEqual(report, { offline: 0, stale: 0, messages: 1, mailboxes: 0, skipped: 0 });
    assert.deepEqual(await messages('a2'), ['unread', 'new', 'timeless', 'zero time']);
  });

  test('removes agents without a window, and agents with an old status', async () => {
    const { clean, folder } = repository();
    writeFileSync(join(folder, 'recipients.jsonl'), presence('a1', 1) + presence('gone', 1) + presence('a2', 49));

    const report = await clean();

    assert.deepEqual([report.offline, report.stale], [1, 1]);
    assert.equal(readFileSync(join(folder, 'recipients.jsonl'), 'utf8'), presence('a1', 1));
  });

  test('outside tmux removes no agent because of its window', async () => {
    const { folder, root } = repository();
    writeFileSync(join(folder, 'recipients.jsonl'), presence('a1', 1) + presence('gone', 49));
    const { mailFolders } = standAt(root, 'a1', ['a1']);

    const report = await cleanUp({
      ...{ mailFolders, staleHours: 48, deliveredHours: 2, dryRun: false, warn: () => {} },
      clock: { now: () => NOW },
    });

    assert.deepEqual([report.offline, report.stale], [0, 1]);
  });

  test('as a dry run returns the same counts and changes nothing', async () => {
    const { clean, fill, folder, mailbox } = repository();
    fill('a2', letter('old', true, 3), letter('unread', false, 3));
    fill('gone', letter('older', true, 5));
    writeFileSync(join(folder, 'recipients.jsonl'), presence('a1', 1) + presence('gone', 50));
    const before = readFileSync(mailbox('a2'), 'utf8');

    const preview = await clean({ dryRun: true });
    const unchanged = readFileSync(mailbox('a2'), 'utf8');
    const report = await clean();

    assert.deepEqual(preview, { offline: 1, stale: 0, messages: 2, mailboxes: 1, skipped: 0 });
    assert.equal(unchanged, before);
    assert.deepEqual(report, preview);
    assert.equal(readFileSync(mailbox('gone'), 'utf8'), '');
  });

  test('deletes no mailbox, because another process may have it open', async () => {
    const { clean, fill, mailbox } = repository();
    fill('gone', letter('old', true, 3));
    fill('empty', '');
    const files = () => ['gone', 'empty'].map((name) => statSync(mailbox(name)).ino);
    const before = files();

    const [report, again] = [await clean(), await clean()];

    assert.deepEqual(files(), before);
    assert.deepEqual([report.mailboxes, again.mailboxes], [1, 0]);
  });

  test('marks removed letters as fetched for their sender', async () => {
    const { clean, root, mailbox } = repository();
    const post = createPostOffice({ clock: systemClock, warn: () => {} });
    const at = standAt(root, 'a1', ['a1', 'a2']);
    await post.send(at, 'a2', 'hello');
    writeFileSync(mailbox('a2'), readFileSync(mailbox('a2'), 'utf8').replace('false', 'true'));

    await clean({ deliveredHours: -1 });
    const [sent] = await post.sent(at, { limit: 1 });

    assert.equal(sent?.state, 'fetched');
    post.close();
  });
});

describe('a cleanup that was killed', () => {
  const before = [letter('one', true, 9), letter('two', false, 9), letter('three', true, 9), letter('four', false, 9)];
  const half = `${letter('two', false, 9)}${before.join('').slice(40)}`;
  const states: [string, string][] = [
    ['before writing', before.join('')],
    ['within a line', half],
    ['after writing', letter('two', false, 9) + letter('four', false, 9)],
    ['while the file was empty', ''],
  ];
  for (const [when, content] of states) {
    test(`${when} loses no letter and no later change`, async () => {
      const { root, folder, mailbox, messages } = repository();
      mkdirSync(join(folder, 'switchboard', 'backup'), { recursive: true });
      writeFileSync(join(folder, 'switchboard', 'backup', 'a2.jsonl'), before.join(''));
      const since = content.replace(letter('four', false, 9), letter('four', true, 9));
      writeFileSync(mailbox('a2'), `${since}${letter('five', false, 0)}`);
      const post = createPostOffice({ clock: systemClock, warn: () => {} });

      await post.send(standAt(root, 'a1', ['a1', 'a2']), 'a2', 'six');

      assert.deepEqual(await messages('a2'), ['one', 'two', 'three', 'four', 'five', 'six']);
      const unread = (await readLetters(mailbox('a2'))).filter(({ isRead }) => !isRead).map(({ message }) => message);
      assert.deepEqual(unread, since === content ? ['two', 'four', 'five', 'six'] : ['two', 'five', 'six']);
      assert.equal(existsSync(join(folder, 'switchboard', 'backup', 'a2.jsonl')), false);
      post.close();
    });
  }
});
