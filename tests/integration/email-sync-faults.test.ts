import assert from 'node:assert/strict';
import { chmodSync, chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { imap } from '../../src/connectors/imap/index.ts';
import { type MailConnector, MailError, type MailSession } from '../../src/connectors/mail-connector.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { mailText } from '../support/email/mail-session.ts';
import { allMonsters } from '../support/email/monsters/all.ts';
import { otherClient } from '../support/email/other-client.ts';
import { startSyncedAccount } from '../support/email/synced-account.ts';
import { until } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = await startMailServer({ users: Array.from({ length: 20 }, (_, index) => `user${index}`) });
after(() => server.stop());
const folder = temporaryFolder(after);
/** Folders are looked at when a test asks for it. */
const SLOW = { poll_ms: 60_000 };
let users = 0;

function nextUser(count = 0): string {
  const user = `user${users++}`;
  for (let index = 1; index <= count; index += 1) server.deliver(user, mailText(`mail ${index}`));
  return user;
}

/** The connector, with something in its sessions that is different. */
function connectorWith(change: (session: MailSession) => Partial<MailSession>): Partial<MailConnector> {
  return {
    async connect(...args) {
      const session = await imap.connect(...args);
      return { ...session, ...change(session) };
    },
  };
}

describe('a connection that is lost', () => {
  test('in the middle of a first sync is made again, and the sync goes on where it was', async (context) => {
    const user = nextUser(2_500);
    const account = await startSyncedAccount(context, { server, user, home: join(folder, 'kicked') });

    await until('some are stored', async () => (await account.view()).messages > 0);
    server.imap.kick(user);

    await account.isMirror();
    assert.equal((await account.view()).messages, 2_500);
    await account.isState('connected');
  });

  test('because the server is down is made again when it is up', async (context) => {
    const own = await startMailServer({ users: ['alice'] });
    context.after(() => own.stop());
    own.deliver('alice', mailText('before'));
    const account = await startSyncedAccount(context, { server: own });
    await account.sync();

    await own.imap.down();
    await account.isState('waiting');
    const { problem, isConnected } = await account.view();
    own.deliver('alice', mailText('meanwhile'));
    await own.imap.up();

    await account.isMirror();
    assert.equal(isConnected, false);
    assert.match(problem ?? '', /^The (server|connection)/);
    assert.equal((await account.emails()).length, 2);
  });

  test('during a change is a clear error, and later the store is as the server is', async (context) => {
    const user = nextUser(3);
    const account = await startSyncedAccount(context, { server, user });
    await account.sync();
    const { session } = await account.live();
    const marking = session.setFlags('INBOX', [1, 2, 3], { add: ['\\Seen'] });
    server.imap.kick(user);

    const outcome = await marking.then(
      () => 'done',
      (error: { kind: string }) => error.kind,
    );

    assert.ok(['done', 'lost'].includes(outcome));
    await account.isMirror();
  });
});

describe('new mail', () => {
  test('is stored while older mail is being fetched', async (context) => {
    const user = nextUser(1_500);
    const account = await startSyncedAccount(context, { server, user, home: join(folder, 'while') });
    await until('some are stored', async () => (await account.view()).messages > 0);

    for (let index = 0; index < 20; index += 1) server.deliver(user, mailText(`new ${index}`));

    await account.isMirror();
    assert.equal((await account.view()).messages, 1_520);
  });

  test('that is too much for one look is stored by the time a sync ends', async (context) => {
    const user = nextUser(1);
    const account = await startSyncedAccount(context, { server, user, home: join(folder, 'many'), settings: SLOW });
    await account.sync();
    for (let index = 0; index < 700; index += 1) server.deliver(user, mailText(`new ${index}`), { folder: 'Archive' });

    const { added } = await account.sync();

    assert.equal(added, 700);
    await account.assertMirror();
  });
});

describe('an email', () => {
  test('that cannot be read at all does not keep the others from being stored', async (context) => {
    const user = nextUser(30);
    makeUnreadable(user, 20);
    const account = await startSyncedAccount(context, { server, user });

    await until('all others are stored', async () => (await account.view()).messages === 29);
    server.deliver(user, mailText('later'));

    await until('new mail is stored', async () => (await account.email('later')) !== undefined);
    assert.equal(await account.email('mail 20'), undefined);
  });

  test('that a server refuses to deliver is left out, too', async (context) => {
    const user = nextUser(12);
    const refusing = connectorWith((session) => ({
      async fetch(path, range, take) {
        if (range.from <= 5 && range.to >= 5) throw new MailError('refused', 'The server refused the command.');
        return session.fetch(path, range, take);
      },
    }));
    const account = await startSyncedAccount(context, { server, user, connector: refusing });

    await account.sync();

    assert.deepEqual(
      (await account.emails()).map(({ subject }) => Number(subject.split(' ')[1])),
      [12, 11, 10, 9, 8, 7, 6, 4, 3, 2, 1],
    );
  });

  test('that vanishes while it is fetched is not stored, and no other is missing', async (context) => {
    const user = nextUser(20);
    const client = await otherClient(context, server, user);
    const account = await startSyncedAccount(context, {
      server,
      user,
      connector: connectorWith((session) => ({
        async fetch(path, range, take) {
          if (path === 'INBOX') await client.remove('INBOX', '3:7');
          return session.fetch(path, range, take);
        },
      })),
    });

    await account.isMirror();

    assert.equal((await account.emails()).length, 15);
  });

  test('of any hostile form stops nothing', async (context) => {
    const user = nextUser(3);
    const monsters = allMonsters();
    for (const { bytes } of monsters) server.deliver(user, bytes);
    server.deliver(user, mailText('after'));
    const account = await startSyncedAccount(context, { server, user, home: join(folder, 'hostile') });

    await account.sync();

    assert.ok(await account.email('after'));
    assert.equal((await account.emails()).flatMap(({ places }) => places).length, monsters.length + 4);
    assert.deepEqual(await account.store.admin.check(), { ok: true, problems: [] });
  });
});

/** The server cannot open the file, and ends the connection. */
function makeUnreadable(user: string, number: number): void {
  const path = join(server.maildirOf(user), 'new');
  const file = join(path, readdirSync(path).sort()[number - 1] ?? '');
  chmodSync(file, 0o000);
  if (process.getuid?.() === 0) chownSync(file, 0, 0);
}
