import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { MailError } from '../../src/connectors/mail-connector.ts';
import { connectorWith } from '../support/email/changed-connector.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { mailText, sessionOn } from '../support/email/mail-session.ts';
import { otherClient } from '../support/email/other-client.ts';
import { startSyncedAccount } from '../support/email/synced-account.ts';

const server = await startMailServer({ users: Array.from({ length: 20 }, (_, index) => `user${index}`) });
after(() => server.stop());
/** Folders are looked at when a test asks for it. */
const SLOW = { poll_ms: 60_000 };
let users = 0;

function nextUser(count: number, folder = 'INBOX'): string {
  const user = `user${users++}`;
  for (let index = 1; index <= count; index += 1) server.deliver(user, mailText(String(index)), { folder });
  return user;
}

describe('while older mail is fetched', () => {
  test('an email that another client changes or deletes between being fetched and being stored is seen as it is', async (context) => {
    const user = nextUser(5);
    const client = await otherClient(context, server, user);
    // As the thread of a bulk job has.
    const second = await sessionOn(context, server, { user });
    const account: Awaited<ReturnType<typeof startSyncedAccount>> = await startSyncedAccount(context, {
      server,
      user,
      settings: SLOW,
      connector: connectorWith(() => ({
        fetch: (path, range, take) =>
          second.fetch(path, range, async (batch) => {
            await client.flag('INBOX', 2);
            await client.remove('INBOX', '3');
            await (await account.live()).syncNow();
            await take(batch);
          }),
      })),
    });

    await account.sync();

    await account.assertMirror();
    assert.equal((await account.email('2'))?.flags, '\\Seen');
    assert.equal(await account.email('3'), undefined);
  });

  test('what is fetched of a folder that has been replaced is not taken for emails of the new one', async (context) => {
    const user = nextUser(5, 'Box');
    const client = await otherClient(context, server, user);
    const second = await sessionOn(context, server, { user });
    let isFirst = true;
    const account: Awaited<ReturnType<typeof startSyncedAccount>> = await startSyncedAccount(context, {
      server,
      user,
      settings: SLOW,
      connector: connectorWith((session) => ({
        async fetch(path, range, take) {
          if (!isFirst) return session.fetch(path, range, take);
          isFirst = false;
          return second.fetch(path, range, async (batch) => {
            await client.removeFolder('Box');
            await client.createFolder('Box');
            for (const subject of ['a', 'b', 'c']) server.deliver(user, mailText(subject), { folder: 'Box' });
            await (await account.live()).syncNow();
            await take(batch);
          });
        },
      })),
    });

    await account.sync();

    await account.isMirror();
    assert.deepEqual((await account.emails()).map(({ subject }) => subject).sort(), ['a', 'b', 'c']);
  });
});

describe('an email is not deleted here', () => {
  test('while it is moved against the order in which folders are looked at', async (context) => {
    const user = nextUser(1, 'Trash');
    const client = await otherClient(context, server, user);
    let isMoving = false;
    const account = await startSyncedAccount(context, {
      server,
      user,
      settings: SLOW,
      connector: connectorWith((session) => ({
        async status(path) {
          const status = await session.status(path);
          // The inbox has been looked at, the trash has not.
          if (isMoving && path === 'Archive') await client.move('Trash', '1', 'INBOX');
          return status;
        },
      })),
    });
    await account.sync();
    const before = await account.email('1');

    isMoving = true;
    await account.sync();

    const moved = await account.email('1');
    assert.deepEqual([moved?.id, moved?.places], [before?.id, ['INBOX 1']]);
  });

  test('while it is moved after the states of all folders were listed', async (context) => {
    const user = nextUser(1, 'Trash');
    const client = await otherClient(context, server, user);
    let isMoving = false;
    const account = await startSyncedAccount(context, {
      server,
      user,
      settings: SLOW,
      connector: connectorWith((session) => ({
        async folders(options) {
          const listed = await session.folders(options);
          if (isMoving) await client.move('Trash', '1', 'INBOX');
          isMoving = false;
          return listed;
        },
      })),
    });
    await account.sync();
    const before = await account.email('1');

    isMoving = true;
    await account.sync();
    await account.sync();

    const moved = await account.email('1');
    assert.deepEqual([moved?.id, moved?.places], [before?.id, ['INBOX 1']]);
  });

  test('while the folder that it was moved to cannot be opened', async (context) => {
    const user = nextUser(2);
    const client = await otherClient(context, server, user);
    let isRefused = false;
    const account = await startSyncedAccount(context, {
      server,
      user,
      settings: SLOW,
      connector: connectorWith((session) => ({
        async status(path) {
          if (isRefused && path === 'Archive') throw new MailError('refused', 'The folder is in use; try again later.');
          return session.status(path);
        },
      })),
    });
    await account.sync();
    const before = await account.email('1');

    isRefused = true;
    await client.move('INBOX', '1', 'Archive');
    await account.sync();
    const meanwhile = await account.email('1');
    isRefused = false;
    await account.sync();

    const later = await account.email('1');
    assert.deepEqual([meanwhile?.id, meanwhile?.places], [before?.id, []]);
    assert.deepEqual([later?.id, later?.places], [before?.id, ['Archive 1']]);
    await account.assertMirror();
  });

  test('while the server does not list its folder', async (context) => {
    const user = nextUser(2, 'Projects');
    let isPartial = false;
    const account = await startSyncedAccount(context, {
      server,
      user,
      settings: SLOW,
      connector: connectorWith((session) => ({
        folders: async () => (await session.folders()).filter(({ path }) => !isPartial || path === 'INBOX'),
      })),
    });
    await account.sync();
    const before = await account.emails();

    isPartial = true;
    await account.sync();

    assert.deepEqual(await account.emails(), before);
    await account.assertMirror();
  });

  test('because the state of its folder was out of date', async (context) => {
    const user = nextUser(3);
    let isStale = false;
    const account = await startSyncedAccount(context, {
      server,
      user,
      settings: SLOW,
      connector: connectorWith((session) => ({
        async status(path) {
          const status = await session.status(path);
          if (!isStale || path !== 'INBOX') return status;
          isStale = false;
          return { ...status, uidNext: 2 };
        },
      })),
    });
    await account.sync();
    const before = await account.emails();

    isStale = true;
    await account.sync();

    assert.deepEqual(await account.emails(), before);
    await account.assertMirror();
  });
});

test('a folder that the server does not let us read is tried again later, and the others are stored', async (context) => {
  const user = nextUser(3, 'Closed');
  for (let index = 4; index <= 6; index += 1) server.deliver(user, mailText(String(index)));
  let attempts = 0;
  const account = await startSyncedAccount(context, {
    server,
    user,
    connector: connectorWith((session) => ({
      async fetch(path, range, take) {
        if (path !== 'Closed') return session.fetch(path, range, take);
        attempts += 1;
        throw new MailError('refused', 'The server does not permit this.');
      },
    })),
  });

  await account.sync();
  const first = attempts;
  for (let round = 0; round < 5; round += 1) await account.sync();

  assert.deepEqual(
    (await account.emails()).map(({ subject }) => subject),
    ['6', '5', '4'],
  );
  assert.equal(attempts, first);
  assert.equal((await account.view()).isConnected, true);
});
