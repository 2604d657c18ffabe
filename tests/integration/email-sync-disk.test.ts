import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { startMailServer } from '../support/email/mail-server.ts';
import { mailText } from '../support/email/mail-session.ts';
import { startSyncedAccount } from '../support/email/synced-account.ts';
import { until } from '../support/mcp/shim-program.ts';
import { mountSmallDisk, type SmallDisk } from '../support/store/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MEGABYTE = 1024 * 1024;
const EMAILS = 1_500;

const server = await startMailServer({ users: ['alice'] });
after(() => server.stop());

test('a first sync on a disk that becomes full is told of, and goes on when there is space', async (context) => {
  const body = 'Words that take some space on the disk. '.repeat(40);
  for (let index = 0; index < EMAILS; index += 1) server.deliver('alice', mailText(`mail ${index}`, { body }));
  const { account, disk } = await startOn(context, 24 * MEGABYTE, 21 * MEGABYTE);

  // Without the right to mount, the disk is never full; all the rest is the same.
  if (disk) {
    const isTold = async () =>
      /^The disk is full; a change could not be stored/.test((await account.view()).problem ?? '');
    await until('the problem is told', isTold);
    const stored = (await account.view()).messages;
    rmSync(join(disk.path, 'filler'));
    assert.ok(stored < EMAILS);
  }

  await account.isMirror();
  assert.equal((await account.view()).messages, EMAILS);
  assert.equal((await account.view()).isConnected, true);
});

/** An account whose store is on a disk of this size, of which a part is taken. It is unmounted after the account has ended. */
async function startOn(context: TestContext, bytes: number, taken: number) {
  const cleaning: (() => void)[] = [];
  const onEnd = (clean: () => void) => cleaning.push(clean);
  const disk: SmallDisk | undefined = mountSmallDisk(bytes, onEnd);
  const folder = disk?.path ?? temporaryFolder(onEnd);
  if (disk) writeFileSync(join(folder, 'filler'), Buffer.alloc(taken));
  const ends: (() => Promise<void>)[] = [];
  const account = await startSyncedAccount({ after: (end) => ends.push(end) }, { server, home: join(folder, 'home') });
  context.after(async () => {
    for (const end of ends) await end();
    for (const clean of cleaning) clean();
  });
  return { account, disk };
}
