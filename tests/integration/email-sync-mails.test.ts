import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { changeFlags, expungeEmails, folderNamed, moveEmails } from '../../src/email/mailbox/change-emails.ts';
import { everyCopy } from '../../src/email/mailbox/copies-to-move.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { mailText } from '../support/email/mail-session.ts';
import { otherClient } from '../support/email/other-client.ts';
import { startSyncedAccount } from '../support/email/synced-account.ts';
import { until } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MEGABYTE = 1024 * 1024;
const users = Array.from({ length: 12 }, (_, index) => `user${index}`);
const server = await startMailServer({ users });
after(() => server.stop());
const folder = temporaryFolder(after);
const nextUser = () => users.pop() ?? assert.fail('there are more tests than users');

const WITHOUT_ID = 'From: bob@example.test\r\nSubject: Bare\r\nDate: Mon, 2 Jan 2023 10:00:00 +0000\r\n\r\nText\r\n';

function withFile(name: string, content: string): string {
  return [
    'From: bob@example.test',
    'Subject: Files',
    'Message-ID: <files@test>',
    'Date: Mon, 2 Jan 2023 10:00:00 +0000',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '',
    '<p>See the file.',
    '--b',
    `Content-Type: text/plain; name="${name}"`,
    'Content-Disposition: attachment',
    '',
    content,
    '--b--',
    '',
  ].join('\r\n');
}

describe('an email', () => {
  test('without a Message-ID is one message in all its folders', async (context) => {
    const user = nextUser();
    server.deliver(user, WITHOUT_ID);
    server.deliver(user, WITHOUT_ID.replace('Text', 'Another'));
    const account = await startSyncedAccount(context, { server, user });
    await account.sync();
    const before = await account.emails();

    await (await otherClient(context, server, user)).copy('INBOX', '1', 'Archive');
    await account.sync();

    const now = await account.emails();
    assert.deepEqual(
      now.map(({ id }) => id),
      before.map(({ id }) => id),
    );
    assert.deepEqual(now.map(({ places }) => places).sort(), [['Archive 1', 'INBOX 1'], ['INBOX 2']]);
    await account.assertMirror();
  });

  test('with the Message-ID of another but other content is another message', async (context) => {
    const user = nextUser();
    for (const body of ['first', 'second', 'third']) server.deliver(user, mailText('Same', { id: 'same@test', body }));

    const account = await startSyncedAccount(context, { server, user });
    await account.sync();

    assert.deepEqual((await account.emails()).map(({ text }) => text).sort(), ['first', 'second', 'third']);
    await account.assertMirror();
  });

  test('with the Message-ID and text of another but other files, HTML or recipients is another message', async (context) => {
    const user = nextUser();
    const copies = [
      withFile('first.txt', 'one'),
      withFile('second.txt', 'one'),
      withFile('first.txt', 'two'),
      withFile('first.txt', 'one').replace('<p>', '<p><b>'),
      ...['To', 'Cc', 'Bcc', 'Reply-To'].map((field) => `${field}: eve@evil.test\r\n${withFile('first.txt', 'one')}`),
    ];
    for (const raw of copies) server.deliver(user, raw);
    const large = withFile('large.bin', 'x'.repeat(300_000));
    for (const raw of [large, large.replace(/x(?=\r)/, 'xx'), `Received: by a\r\n${large}`]) server.deliver(user, raw);

    const account = await startSyncedAccount(context, { server, user });
    await account.sync();

    const places = (await account.emails()).map((email) => email.places.toSorted().join());
    const alone = [...copies.keys(), 9].map((index) => `INBOX ${index + 1}`);
    assert.deepEqual(places.sort(), [...alone, 'INBOX 11,INBOX 9'].sort());
    await account.assertMirror();
  });

  test('that is twice in one folder is one message until both are gone', async (context) => {
    const user = nextUser();
    server.deliver(user, mailText('Twice'));
    server.deliver(user, mailText('Twice'));
    const client = await otherClient(context, server, user);
    const account = await startSyncedAccount(context, { server, user });
    await account.sync();
    const twice = await account.email('Twice');

    await client.remove('INBOX', '1');
    await account.sync();
    const once = await account.email('Twice');
    await client.remove('INBOX', '2');
    await account.sync();

    assert.deepEqual([twice?.places, once?.places], [['INBOX 1', 'INBOX 2'], ['INBOX 2']]);
    assert.equal(once?.id, twice?.id);
    assert.deepEqual(await account.emails(), []);
  });

  test('that is in many folders, as with labels, is one message', async (context) => {
    const user = nextUser();
    const labels = ['INBOX', 'All', 'Work', 'Family'];
    for (let index = 0; index < 20; index += 1) {
      for (const label of labels.slice(0, 1 + (index % 4))) {
        server.deliver(user, mailText(`mail ${index}`), { folder: label });
      }
    }

    const account = await startSyncedAccount(context, { server, user, home: join(folder, 'labels') });
    await account.sync();

    assert.equal((await account.emails()).length, 20);
    await account.assertMirror();
  });

  test('of 30 MB and many with large attachments need little memory', async (context) => {
    const user = nextUser();
    const attachment = (bytes: number) =>
      [
        '--b',
        'Content-Type: text/plain',
        '',
        'Readable',
        '--b',
        'Content-Type: application/pdf',
        'Content-Transfer-Encoding: base64',
        '',
      ]
        .concat(
          Array.from({ length: Math.ceil(bytes / 76) }, () => 'QUFB'.repeat(19)),
          '--b--',
          '',
        )
        .join('\r\n');
    const mail = (subject: string, bytes: number) =>
      mailText(subject, { body: attachment(bytes) }).replace(
        'Subject:',
        'Content-Type: multipart/mixed; boundary=b\r\nSubject:',
      );
    for (let index = 0; index < 150; index += 1) server.deliver(user, mail(`mail ${index}`, MEGABYTE / 2));
    server.deliver(user, mail('huge', 30 * MEGABYTE));
    global.gc?.();
    const before = process.memoryUsage().rss;
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 10).unref();

    const account = await startSyncedAccount(context, { server, user, home: join(folder, 'large') });
    await account.sync();

    clearInterval(watching);
    const emails = await account.emails();
    assert.equal(emails.length, 151);
    assert.ok(emails.every(({ text }) => text === 'Readable'));
    // 105 MB are on the server.
    assert.ok(most < 300 * MEGABYTE, `${Math.round(most / MEGABYTE)} MB`);
  });
});

test('a synchronization that is asked for counts what is added while it waits', async (context) => {
  const user = nextUser();
  server.deliver(user, mailText('first'));
  const account = await startSyncedAccount(context, { server, user, settings: { poll_ms: 60_000 } });
  await account.sync();
  await (await otherClient(context, server, user)).createFolder('New');
  for (const subject of ['1', '2', '3']) server.deliver(user, mailText(subject), { folder: 'New' });

  const counts = [await account.sync(), await account.sync()];

  assert.deepEqual(
    counts.map(({ added }) => added),
    [3, 0],
  );
});

test('emails are changed, moved and deleted while older ones are fetched', async (context) => {
  const user = nextUser();
  for (let index = 0; index < 1_500; index += 1) server.deliver(user, mailText(`mail ${index}`));
  const account = await startSyncedAccount(context, { server, user, home: join(folder, 'changed') });
  await until('some are stored', async () => (await account.view()).messages >= 3);
  const { session } = await account.live();
  const parts = { mail: account.mail, session, account: 'work' };
  const [read, moved, deleted] = (await account.emails()).map(({ id }) => id);
  const emailOf = async (id = '') => account.mail.byIds([id]);

  await changeFlags(parts, await emailOf(read), { add: ['\\Seen'] });
  await moveEmails(parts, await emailOf(moved), await folderNamed(parts, 'Archive'), everyCopy);
  await expungeEmails(parts, await emailOf(deleted));

  await account.isMirror();
  const now = new Map((await account.emails()).map((email) => [email.id, email]));
  assert.equal(now.size, 1_499);
  assert.equal(now.get(read ?? '')?.flags, '\\Seen');
  assert.deepEqual(now.get(moved ?? '')?.places, ['Archive 1']);
  assert.equal(now.has(deleted ?? ''), false);
});
