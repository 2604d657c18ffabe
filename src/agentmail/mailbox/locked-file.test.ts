import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { standAt, temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { systemClock } from '../../lib/clock.ts';
import { flock } from '../../lib/flock.ts';
import { createPostOffice } from '../delivery/post-office.ts';
import { withLockedFile } from './locked-file.ts';

describe('an unsafe path', () => {
  const tricks: [string, string, RegExp][] = [
    ['.agentmail', '.agentmail', /\.agentmail is a symbolic link, which is not used for mail$/],
    ['mailboxes', '.agentmail/mailboxes', /mailboxes is a symbolic link/],
    ['the mailbox', '.agentmail/mailboxes/a2.jsonl', /a2\.jsonl is a symbolic link/],
  ];
  for (const [what, path, message] of tricks) {
    test(`${what} as a symbolic link is refused, and nothing is written to its target`, async () => {
      const [root, elsewhere] = [temporaryRepository(after), temporaryFolder(after)];
      const target = join(elsewhere, 'target');
      if (path.endsWith('.jsonl')) writeFileSync(target, '');
      else mkdirSync(target);
      mkdirSync(join(root, path, '..'), { recursive: true });
      symlinkSync(target, join(root, path));
      const post = createPostOffice({ clock: systemClock, warn: () => {} });

      const sending = post.send(standAt(root, 'a1', ['a1', 'a2']), 'a2', 'secret');

      await assert.rejects(sending, { code: 'CONFLICT', message });
      assert.equal(execFileSync('find', [elsewhere, '-type', 'f', '-size', '+0'], { encoding: 'utf8' }), '');
      post.close();
    });
  }

  test('a pipe or a folder instead of a mailbox is refused immediately', async () => {
    const root = temporaryRepository(after);
    const mailboxes = join(root, '.agentmail', 'mailboxes');
    mkdirSync(join(mailboxes, 'folder.jsonl'), { recursive: true });
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(mailboxes, 'pipe.jsonl')]);
    const post = createPostOffice({ clock: systemClock, warn: () => {} });

    for (const name of ['folder', 'pipe']) {
      const sending = post.send(standAt(root, 'a1', ['a1', name]), name, 'hello');

      await assert.rejects(sending, { code: 'CONFLICT', message: /is no ordinary file/ });
    }
    post.close();
  });
});

describe('a lock', () => {
  test('is on a new file if the file was deleted while waiting', async () => {
    const path = join(temporaryRepository(after), '.agentmail', 'mailboxes', 'a.jsonl');
    await withLockedFile(path, { kind: 'exclusive', create: true }, () => {});
    const holder = openSync(path, 'r+');
    await flock(holder, 'exclusive', 0);

    const waiting = withLockedFile(path, { kind: 'exclusive', create: true }, (file) => writeSync(file, 'kept'));
    unlinkSync(path);
    closeSync(holder);
    await waiting;

    assert.equal(readFileSync(path, 'utf8'), 'kept');
  });

  test('is on the replacement if the file was replaced while waiting', async () => {
    const path = join(temporaryRepository(after), '.agentmail', 'a.jsonl');
    await withLockedFile(path, { kind: 'exclusive', create: true }, () => {});
    const holder = openSync(path, 'r+');
    await flock(holder, 'exclusive', 0);

    const waiting = withLockedFile(path, { kind: 'exclusive' }, (file) => writeSync(file, 'new'));
    writeFileSync(`${path}.other`, 'old content');
    renameSync(`${path}.other`, path);
    closeSync(holder);
    await waiting;

    assert.equal(readFileSync(path, 'utf8'), 'new content');
  });

  test('is shared by readers and excludes writers', async () => {
    const path = join(temporaryRepository(after), '.agentmail', 'a.jsonl');
    await withLockedFile(path, { kind: 'exclusive', create: true }, () => {});
    const [one, two] = [openSync(path, 'r'), openSync(path, 'r')];

    const taken = [await flock(one, 'shared', 0), await flock(two, 'shared', 0), await flock(two, 'exclusive', 20)];

    assert.deepEqual(taken, [true, true, false]);
    for (const file of [one, two]) closeSync(file);
  });

  test('of a missing file is not acquired, and the result is undefined', async () => {
    const path = join(temporaryRepository(after), '.agentmail', 'a.jsonl');

    const result = await withLockedFile(path, { kind: 'shared' }, () => 'reached');

    assert.equal(result, undefined);
    rmSync(path, { force: true });
  });
});
