import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createPostOffice } from '../../src/agentmail/delivery/post-office.ts';
import { cleanUp } from '../../src/agentmail/mailbox/cleanup.ts';
import { parseLine } from '../../src/agentmail/mailbox/line.ts';
import { readLetters } from '../../src/agentmail/mailbox/mailbox.ts';
import { readPresences } from '../../src/agentmail/mailbox/recipients-file.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { standAt } from '../support/agentmail/repository.ts';
import { mountSmallDisk } from '../support/store/small-disk.ts';

const BYTES = 2 * 1_048_576;
const NO_DISK = 'this user may not mount a file system';

/** A repository on a small disk, and agents in it. */
function office(t: TestContext) {
  const disk = mountSmallDisk(BYTES, (clean) => t.after(clean));
  if (!disk) return undefined;
  const root = join(disk.path, 'repository');
  mkdirSync(join(root, '.git'), { recursive: true });
  const post = createPostOffice({ clock: systemClock, warn: () => {} });
  t.after(() => post.close());
  const at = (me: string) => standAt(root, me, ['a1', 'a2']);
  const mailbox = join(root, '.agentmail', 'mailboxes', 'a2.jsonl');
  return { disk, root, post, at, mailbox, whole: () => readFileSync(mailbox, 'utf8').split('\n').slice(0, -1) };
}

describe('agent mail on a failing disk', () => {
  test('full disk: sending fails, nothing is partially written, and sending works once there is space', async (t) => {
    const place = office(t);
    if (!place) return t.diagnostic(NO_DISK);
    const { root, post, at, mailbox, whole } = place;
    let sent = 0;
    const sending = async () => {
      for (; ; sent++) await post.send(at('a1'), 'a2', 'x'.repeat(30_000));
    };
    writeFileSync(join(root, 'ballast'), 'z'.repeat(200_000));

    await assert.rejects(sending, {
      code: 'SERVICE_UNAVAILABLE',
      message: /a2\.jsonl cannot be written: the disk is full$/,
    });
    const lines = whole();
    await (await post.take(at('a2')))?.done();
    rmSync(join(root, 'ballast'));
    await post.send(at('a1'), 'a2', 'again');

    assert.ok(sent > 10);
    assert.equal(lines.length, sent);
    assert.ok(lines.every((line) => parseLine(Buffer.from(line))));
    const letters = await readLetters(mailbox);
    assert.deepEqual([letters.length, letters[0]?.isRead, letters.at(-1)?.message], [sent + 1, true, 'again']);
  });

  test('full disk: setting a status fails, and the status of other agents is unchanged', async (t) => {
    const place = office(t);
    if (!place) return t.diagnostic(NO_DISK);
    const { root, post, at } = place;
    await post.setStatus(at('a1'), 'work');
    fill(join(root, 'ballast'));

    const telling = async () => {
      for (let index = 0; ; index++) {
        const me = { name: `agent-${index}-${'y'.repeat(80)}`, isCurrent: true };
        await post.setStatus({ ...at('a1'), me }, 'ready');
      }
    };

    await assert.rejects(telling, { message: /recipients\.jsonl cannot be written: the disk is full/ });
    const presences = await readPresences(join(root, '.agentmail'));
    assert.deepEqual([presences[0]?.name, presences[0]?.status], ['a1', 'work']);
    assert.ok(presences.slice(1).every(({ name }) => name.startsWith('agent-')));
  });

  test('full disk: a cleanup fails before it changes a mailbox', async (t) => {
    const place = office(t);
    if (!place) return t.diagnostic(NO_DISK);
    const { root, post, at, mailbox } = place;
    for (let index = 0; index < 8; index++) await post.send(at('a1'), 'a2', 'x'.repeat(30_000));
    await (await post.take(at('a2')))?.done();
    const before = readFileSync(mailbox, 'utf8');
    fill(join(root, 'ballast'));

    const cleaning = cleanUp({
      ...{ mailFolders: at('a1').mailFolders, windows: ['a1', 'a2'], staleHours: 1, deliveredHours: -1, dryRun: false },
      ...{ clock: systemClock, warn: () => {} },
    });

    await assert.rejects(cleaning, { code: 'SERVICE_UNAVAILABLE', message: /the disk is full$/ });
    assert.equal(readFileSync(mailbox, 'utf8'), before);
  });

  test('read-only disk: every write fails with an error, and mail can still be read', async (t) => {
    const place = office(t);
    if (!place) return t.diagnostic(NO_DISK);
    const { disk, post, at, mailbox } = place;
    await post.send(at('a1'), 'a2', 'hello');
    await post.setStatus(at('a2'), 'ready');
    post.close();
    disk.setWritable(false);

    await assert.rejects(post.send(at('a1'), 'a2', 'more'), {
      message: /a2\.jsonl cannot be opened: the file system is read-only/,
    });
    await assert.rejects(post.setStatus(at('a1'), 'work'), {
      message: /recipients\.jsonl cannot be opened: the file system is read-only/,
    });
    assert.equal((await post.history(at('a2'), { limit: 9 })).length, 1);
    assert.equal((await readLetters(mailbox)).length, 1);
    disk.setWritable(true);
    await post.send(at('a1'), 'a2', 'more');
    assert.equal((await post.history(at('a2'), { limit: 9 })).length, 2);
  });
});

/** Fills the disk to the last byte. */
function fill(path: string): void {
  for (const size of [65_536, 4_096, 512, 1]) {
    try {
      for (;;) writeFileSync(path, 'z'.repeat(size), { flag: 'a' });
    } catch {
      // No space for a chunk of this size; a smaller one may fit.
    }
  }
}
