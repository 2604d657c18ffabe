import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { watchMail } from './mail-watch.ts';

describe('watching mail folders', { timeout: 300_000 }, () => {
  test('reports a new letter and a new status', async () => {
    const { folder, watcher, news } = watched();
    watcher.follow([folder]);

    appendFileSync(join(folder, 'mailboxes', 'a1.jsonl'), '\n');
    await news();
    appendFileSync(join(folder, 'recipients.jsonl'), '\n');
    await news();

    assert.equal(watcher.isWhole(), true);
  });

  for (const [how, remove] of Object.entries({
    removed: (path: string) => rmSync(path, { recursive: true }),
    'moved away': (path: string) => renameSync(path, `${path}.old`),
  })) {
    test(`continues for a mailbox folder that was ${how} and created again`, async () => {
      const { folder, watcher, news, quiet } = watched();
      watcher.follow([folder]);

      remove(join(folder, 'mailboxes'));
      mkdirSync(join(folder, 'mailboxes'));
      await news();
      await quiet();
      watcher.follow([folder]);
      appendFileSync(join(folder, 'mailboxes', 'a1.jsonl'), '\n');
      await news();

      assert.equal(watcher.isWhole(), true);
    });
  }

  for (const path of ['.agentmail', '.agentmail/mailboxes']) {
    test(`does not follow a symbolic link at ${path}`, () => {
      const { root, folder, watcher, deaf } = watched();
      const elsewhere = join(root, 'elsewhere');
      mkdirSync(elsewhere);
      if (path !== '.agentmail') mkdirSync(folder);
      symlinkSync(elsewhere, join(root, path));

      watcher.follow([folder]);

      assert.equal(watcher.isWhole(), false);
      assert.match(deaf.join('\n'), /is a symbolic link, which is not used for mail/);
      assert.equal(existsSync(join(elsewhere, 'mailboxes')), false);
    });
  }
});

function watched() {
  const root = temporaryFolder(after);
  const deaf: string[] = [];
  let count = 0;
  let heard = Promise.withResolvers<void>();
  const watcher = watchMail(
    () => {
      count += 1;
      heard.resolve();
    },
    (_, error) => deaf.push((error as Error).message),
  );
  // The watcher alone does not keep the process running.
  const alive = setInterval(() => {}, 1_000);
  after(() => {
    clearInterval(alive);
    watcher.close();
  });
  return {
    root,
    folder: join(root, '.agentmail'),
    watcher,
    deaf,
    async news(): Promise<void> {
      await heard.promise;
      heard = Promise.withResolvers();
    },
    /** Waits until no further file event arrives. */
    async quiet(): Promise<void> {
      for (let before = -1; before !== count; ) {
        before = count;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      heard = Promise.withResolvers();
    },
  };
}
