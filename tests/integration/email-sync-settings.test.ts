import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { startMailServer } from '../support/email/mail-server.ts';
import { mailText } from '../support/email/mail-session.ts';
import { otherClient } from '../support/email/other-client.ts';
import { type SyncedAccount, startSyncedAccount } from '../support/email/synced-account.ts';
import { until } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = await startMailServer({ users: Array.from({ length: 20 }, (_, index) => `user${index}`) });
after(() => server.stop());
const folder = temporaryFolder(after);
const DAY = 86_400_000;
let users = 0;
const nextUser = () => `user${users++}`;

/** Emails that the server received so many days ago, in this order; their subjects are the numbers of days. */
function deliver(user: string, days: readonly number[], path = 'INBOX'): void {
  for (const day of days) {
    const receivedAt = Date.now() - day * DAY;
    const date = new Date(receivedAt).toUTCString();
    server.deliver(user, `Date: ${date}\r\n${mailText(String(day))}`, { folder: path, receivedAt });
  }
}

const subjectsOf = async (account: SyncedAccount) =>
  (await account.emails()).map(({ subject }) => subject).sort((a, b) => Number(a) - Number(b));

describe('history_days', () => {
  test('limits what is fetched by the date of each email, whatever its number', async (context) => {
    const user = nextUser();
    // The last one that was put into the folder is old.
    deliver(user, [100, 5, 300, 1, 200]);
    deliver(user, [400, 2, 500], 'Archive');

    const account = await startSyncedAccount(context, { server, user, settings: { history_days: 30 } });
    await account.sync();

    assert.deepEqual(await subjectsOf(account), ['1', '2', '5']);
  });

  test('that is larger than before fetches what is older, and nothing again', async (context) => {
    const user = nextUser();
    deliver(user, [100, 5, 300, 1]);
    const account = await startSyncedAccount(context, { server, user, settings: { history_days: 30 } });
    await account.sync();
    const before = await account.email('5');

    await account.reconfigure({ history_days: 150 });
    await account.sync();
    const more = await subjectsOf(account);
    await account.reconfigure({ history_days: 10 });
    await account.sync();
    const fewer = await subjectsOf(account);
    await account.reconfigure({ history_days: 36_500 });
    await account.sync();

    assert.deepEqual(more, ['1', '5', '100']);
    assert.deepEqual(fewer, more);
    assert.deepEqual(await subjectsOf(account), ['1', '5', '100', '300']);
    assert.equal((await account.email('5'))?.id, before?.id);
    await account.assertMirror();
  });

  test('does not delete older emails whose folder is renamed', async (context) => {
    const user = nextUser();
    deliver(user, [100, 5, 300], 'Old');
    const account = await startSyncedAccount(context, { server, user, settings: { history_days: 150 } });
    await account.sync();
    await account.reconfigure({ history_days: 10 });
    await account.sync();
    const before = await account.emails();

    await (await otherClient(context, server, user)).renameFolder('Old', 'New');
    await account.sync();

    assert.deepEqual(
      (await account.emails()).map(({ id }) => id),
      before.map(({ id }) => id),
    );
    assert.deepEqual((await account.email('100'))?.places, ['New 1']);
  });
});

test('keep_days leaves older mail on the server, and forgets here what has become older', async (context) => {
  const user = nextUser();
  deliver(user, [100, 5, 50]);
  const account = await startSyncedAccount(context, { server, user });
  await account.sync();

  await account.reconfigure({ keep_days: 30 });
  await until('old mail is forgotten', async () => (await account.view()).messages === 1);
  await account.sync();
  await account.engine.tidy();

  assert.deepEqual(await subjectsOf(account), ['5']);
  assert.equal(server.folderOf(user).length, 3);
});

test('poll_ms is how often folders other than the inbox are looked at', async (context) => {
  const user = nextUser();
  const account = await startSyncedAccount(context, { server, user, settings: { poll_ms: 100 } });
  await account.sync();

  server.deliver(user, mailText('elsewhere'), { folder: 'Archive' });

  await until('it is seen', async () => (await account.email('elsewhere')) !== undefined);
});

test('subscribers are told of new mail in any folder, also of what arrived without a connection, and not of old mail', async (context) => {
  const user = nextUser();
  deliver(user, [3, 2]);
  const account = await startSyncedAccount(context, { server, user });
  await account.sync();

  server.deliver(user, mailText('elsewhere'), { folder: 'Archive' });
  await until('it is seen', async () => (await account.email('elsewhere')) !== undefined);
  await account.remove();
  server.deliver(user, mailText('meanwhile'));
  await account.reconfigure({});
  await account.sync();

  const events = (await account.store.events.read(0)).filter(({ type }) => type === 'message.received');
  const ids = await Promise.all(['elsewhere', 'meanwhile'].map(async (subject) => (await account.email(subject))?.id));
  assert.deepEqual(
    events.map(({ data }) => (data as { message_id: string }).message_id),
    ids,
  );
});

describe('an account', () => {
  test('that is removed and added again goes on where it was', async (context) => {
    const user = nextUser();
    deliver(user, [1, 2, 3]);
    const account = await startSyncedAccount(context, { server, user });
    await account.sync();
    const before = await account.emails();

    await account.remove();
    deliver(user, [0]);
    await account.reconfigure({});
    await account.sync();

    assert.deepEqual((await account.emails()).slice(1), before);
    await account.assertMirror();
  });

  test('that becomes that of another user has the mail of that user only', async (context) => {
    const [user, other] = [nextUser(), nextUser()];
    deliver(user, [1, 2, 3]);
    deliver(other, [7, 8]);
    const account = await startSyncedAccount(context, { server, user });
    await account.sync();

    const { address, password } = server.user(other);
    await account.reconfigure({ email: address, auth: { password } });
    await account.sync();

    assert.deepEqual(await subjectsOf(account), ['7', '8']);
  });

  test('with a wrong password says so, and connects with the right one', async (context) => {
    const user = nextUser();
    deliver(user, [1]);
    const account = await startSyncedAccount(context, { server, user, settings: { auth: { password: 'wrong' } } });

    await account.isState('rejected');
    const { problem, howToConnect } = await account.view();
    await account.reconfigure({ auth: { password: server.user(user).password } });
    await account.sync();

    assert.equal(problem, 'The user name or the password was not accepted.');
    assert.match(howToConnect, /accounts\.work/);
    await account.assertMirror();
  });

  test('whose certificate is not trusted says so', async (context) => {
    const other = await startMailServer({ users: ['alice'] });
    context.after(() => other.stop());
    const account = await startSyncedAccount(context, { server: other, settings: { ca: server.ca.path } });

    await account.isState('rejected');

    assert.match((await account.view()).problem ?? '', /certificate of the server is not trusted/);
  });

  test('on a server that allows one connection is stored all the same', async (context) => {
    const single = await startMailServer({ users: ['alice'], maxSessions: 1 });
    context.after(() => single.stop());
    for (let index = 0; index < 30; index += 1) single.deliver('alice', mailText(`mail ${index}`));
    const account = await startSyncedAccount(context, { server: single, home: join(folder, 'single'), settings: SLOW });

    await account.sync();

    assert.equal((await account.emails()).length, 30);
    assert.equal((await account.view()).isConnected, true);
  });

  test('that is stopped leaves nothing behind, even in the middle of a first sync', async (context) => {
    const user = nextUser();
    for (let index = 0; index < 1_500; index += 1) server.deliver(user, mailText(`mail ${index}`));
    const home = join(folder, 'stopped');

    const account = await startSyncedAccount(context, { server, user, home });
    await until('some are stored', async () => (await account.view()).messages > 0);
    await account.stop();

    // Sockets of other tests may be closing.
    await until('nothing is left', () => resources().length === 0);
    await assertComplete(context, home, user, 1_500);
  });
});

/** Folders are looked at when a test asks for it. */
const SLOW = { poll_ms: 60_000 };

async function assertComplete(context: TestContext, home: string, user: string, count: number): Promise<void> {
  const account = await startSyncedAccount(context, { server, user, home });
  await account.sync();
  await account.assertMirror();
  assert.equal((await account.view()).messages, count);
}

function resources(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => /TCP|TLS|Worker|MessagePort/.test(name))
    .sort();
}
