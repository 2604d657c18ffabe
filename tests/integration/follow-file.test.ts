import assert from 'node:assert/strict';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { followFile } from '../../src/config/follow-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LOOK_MS = 20;

/** Follows a file; `next` resolves at the next notification of a change. */
function follow(context: TestContext, path: string) {
  let told = 0;
  let waiting = Promise.withResolvers<void>();
  const stop = followFile(
    path,
    () => {
      told += 1;
      waiting.resolve();
      waiting = Promise.withResolvers();
    },
    LOOK_MS,
  );
  // The watcher does not keep a process alive, so this timer must.
  const alive = setInterval(() => {}, 1_000);
  context.after(() => {
    stop();
    clearInterval(alive);
  });
  return { next: () => waiting.promise, told: () => told, stop };
}

const looked = () => new Promise((resolve) => setTimeout(resolve, 5 * LOOK_MS));

describe('following a file', () => {
  const changes: Record<string, (path: string) => void> = {
    'is written': (path) => writeFileSync(path, 'two, and longer'),
    'is replaced by another file': (path) => {
      writeFileSync(`${path}.new`, 'two');
      renameSync(`${path}.new`, path);
    },
    'is deleted': (path) => rmSync(path),
  };
  for (const [how, change] of Object.entries(changes)) {
    test(`notifies when it ${how}`, async (context) => {
      const path = join(
        temporaryFolder((clean) => context.after(clean)),
        'config.yaml',
      );
      writeFileSync(path, 'one');
      const { next, told } = follow(context, path);
      await looked();
      const before = told();

      const changed = next();
      change(path);
      await changed;

      assert.deepEqual([before, told()], [0, 1]);
    });
  }

  test('notifies when it is created, and when the target of its link changes', async (context) => {
    const folder = temporaryFolder((clean) => context.after(clean));
    const [path, target] = [join(folder, 'config.yaml'), join(folder, 'elsewhere.yaml')];
    writeFileSync(target, 'one');
    const { next, told } = follow(context, path);
    await looked();
    const before = told();

    const came = next();
    symlinkSync(target, path);
    await came;
    const changed = next();
    writeFileSync(target, 'two, and longer');
    await changed;

    assert.deepEqual([before, told()], [0, 2]);
  });
});
