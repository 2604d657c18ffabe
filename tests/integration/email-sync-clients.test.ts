import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test';
import { type MailServer, startMailServer } from '../support/email/mail-server.ts';
import type { MailServerOptions } from '../support/email/mail-server-options.ts';
import { mailText } from '../support/email/mail-session.ts';
import { otherClient } from '../support/email/other-client.ts';
import { startSyncedAccount } from '../support/email/synced-account.ts';

const SERVERS: Readonly<Record<string, MailServerOptions['without']>> = {
  'a server with all extensions': [],
  'a server without QRESYNC': ['QRESYNC'],
  'a server without CONDSTORE, QRESYNC, MOVE, UIDPLUS, IDLE and ESEARCH': [
    'CONDSTORE',
    'QRESYNC',
    'MOVE',
    'UIDPLUS',
    'IDLE',
    'ESEARCH',
  ],
};

for (const [name, without = []] of Object.entries(SERVERS)) {
  describe(`on ${name}, another client`, () => {
    const users = Array.from({ length: 12 }, (_, index) => `user${index}`);
    let server: MailServer;
    let user = '';
    before(async () => {
      server = await startMailServer({ users, without });
    });
    after(() => server.stop());
    beforeEach(() => {
      user = users.pop() ?? assert.fail('there are more tests than users');
    });

    /** An account with emails `1`, `2` and so on in a folder, which is synchronized. */
    async function synced(context: TestContext, { count = 3, folder = 'INBOX' } = {}) {
      for (let index = 1; index <= count; index += 1) server.deliver(user, mailText(String(index)), { folder });
      const account = await startSyncedAccount(context, { server, user });
      await account.sync();
      const client = await otherClient(context, server, user);
      const ids = new Map((await account.emails()).map(({ subject, id }) => [subject, id]));
      assert.equal(ids.size, count);
      return { account, client, ids };
    }

    test('changes flags and keywords', async (context) => {
      const { account, client } = await synced(context);

      await client.flag('INBOX', 1, '\\Seen');
      await client.flag('INBOX', 2, 'important');
      await client.flag('INBOX', 3, '\\Flagged');
      await account.sync();
      await client.unflag('INBOX', 1, '\\Seen');
      await account.sync();

      await account.assertMirror();
      assert.deepEqual(
        (await account.emails()).map(({ flags }) => flags),
        ['\\Flagged', 'important', ''],
      );
    });

    test('moves an email to another folder and back: it keeps its id', async (context) => {
      const { account, client, ids } = await synced(context);

      await client.move('INBOX', '2', 'Archive');
      await account.sync();
      const moved = await account.email('2');
      await client.move('Archive', '1', 'INBOX');
      await account.sync();
      const back = await account.email('2');

      assert.deepEqual([moved?.id, moved?.places], [ids.get('2'), ['Archive 1']]);
      assert.deepEqual([back?.id, back?.places], [ids.get('2'), ['INBOX 4']]);
      await account.assertMirror();
    });

    test('copies an email: it is one message at two places, until both are gone', async (context) => {
      const { account, client, ids } = await synced(context);

      await client.copy('INBOX', '2', 'Archive');
      await account.sync();
      const copied = await account.email('2');
      await client.remove('INBOX', '2');
      await account.sync();
      const left = await account.email('2');
      await client.remove('Archive', '1');
      await account.sync();

      assert.deepEqual([copied?.id, copied?.places], [ids.get('2'), ['Archive 1', 'INBOX 2']]);
      assert.deepEqual([left?.id, left?.places], [ids.get('2'), ['Archive 1']]);
      assert.equal(await account.email('2'), undefined);
      await account.assertMirror();
    });

    test('deletes emails', async (context) => {
      const { account, client } = await synced(context);

      await client.remove('INBOX', '1,3');
      await account.sync();

      assert.deepEqual(
        (await account.emails()).map(({ subject }) => subject),
        ['2'],
      );
      await account.assertMirror();
    });

    test('creates a folder with old mail in it', async (context) => {
      const { account, client } = await synced(context);

      await client.createFolder('Imported');
      for (let index = 4; index <= 9; index += 1) {
        server.deliver(user, mailText(String(index)), { folder: 'Imported', receivedAt: 1_000_000_000_000 + index });
      }
      await account.sync();

      assert.equal((await account.emails()).length, 9);
      await account.assertMirror();
    });

    test('renames a folder: its emails keep their ids and are never missing', async (context) => {
      const { account, client, ids } = await synced(context, { folder: 'Old' });
      const counts: number[] = [];
      const count = setInterval(() => void account.emails().then((all) => counts.push(all.length)), 1).unref();

      await client.renameFolder('Old', 'New');
      await account.sync();

      clearInterval(count);
      assert.deepEqual(new Map((await account.emails()).map(({ subject, id }) => [subject, id])), ids);
      assert.ok(counts.every((each) => each === 3));
      await account.assertMirror();
    });

    test('removes a folder with its emails, and one of which a copy is elsewhere', async (context) => {
      const { account, client, ids } = await synced(context, { folder: 'Old' });
      await client.copy('Old', '2', 'Archive');
      await account.sync();

      await client.removeFolder('Old');

      // A session that has the folder open may see its end one email after the other.
      await account.isMirror();
      assert.deepEqual(
        (await account.emails()).map(({ id, places }) => [id, places]),
        [[ids.get('2'), ['Archive 1']]],
      );
    });

    test('removes a folder and creates it again with other emails', async (context) => {
      const { account, client } = await synced(context, { folder: 'Old' });

      await client.removeFolder('Old');
      await client.createFolder('Old');
      server.deliver(user, mailText('other'), { folder: 'Old' });

      // A session that has the old folder open sees the new one once it has opened another.
      await account.isMirror();
      assert.deepEqual(
        (await account.emails()).map(({ subject }) => subject),
        ['other'],
      );
    });

    test('restores a mailbox, which gives its folders another numbering: emails keep their ids', async (context) => {
      const { account, client, ids } = await synced(context);
      await client.remove('INBOX', '1');
      await account.sync();

      server.renumber(user, 'INBOX');
      server.deliver(user, mailText('4'));
      await account.sync();

      const now = new Map((await account.emails()).map(({ subject, id }) => [subject, id]));
      assert.deepEqual([...now.keys()].sort(), ['2', '3', '4']);
      assert.deepEqual([now.get('2'), now.get('3')], [ids.get('2'), ids.get('3')]);
      await account.assertMirror();
    });

    test('does all of this while nobody looks', async (context) => {
      const { account, client, ids } = await synced(context);
      await account.remove();

      await client.flag('INBOX', 1);
      await client.move('INBOX', '2', 'Archive');
      await client.remove('INBOX', '3');
      server.deliver(user, mailText('4'));
      await account.reconfigure({});
      await account.sync();

      await account.assertMirror();
      assert.equal((await account.email('2'))?.id, ids.get('2'));
    });

    test('is noticed without being asked for', async (context) => {
      const { account, client } = await synced(context);

      await client.flag('INBOX', 1);
      await client.move('INBOX', '2', 'Archive');
      await client.createFolder('Later');
      server.deliver(user, mailText('4'));
      server.deliver(user, mailText('5'), { folder: 'Later' });

      await account.isMirror();
    });
  });
}
