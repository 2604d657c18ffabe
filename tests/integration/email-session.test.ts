import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { MailError } from '../../src/connectors/mail-connector.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { EVERYTHING, fetchAll, mailText, sessionOn } from '../support/email/mail-session.ts';

describe('a mail session', async () => {
  const server = await startMailServer({ users: ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi'] });
  after(() => server.stop());

  test('lists the folders with their roles', async (context) => {
    const session = await sessionOn(context, server, { user: 'grace' });
    await session.createFolder('Projects/Größe "x" & y');

    const folders = await session.folders();

    assert.deepEqual(
      folders.filter(({ role }) => role).map(({ path, role }) => `${path} ${role}`),
      ['INBOX inbox', 'Sent sent', 'Drafts drafts', 'Archive archive', 'Junk junk', 'Trash trash'],
    );
    const projects = folders.filter(({ path }) => path.startsWith('Projects'));
    assert.deepEqual(projects, [
      { path: 'Projects', names: ['Projects'], isSelectable: false },
      { path: 'Projects/Größe "x" & y', names: ['Projects', 'Größe "x" & y'], isSelectable: true },
    ]);
  });

  test('says what the server can', async (context) => {
    const session = await sessionOn(context, server);

    assert.deepEqual(session.can, { condstore: true, qresync: true, idle: true, move: true });
  });

  test('fetches emails in order and marks none as read', async (context) => {
    const receivedAt = 1_600_000_000_000;
    server.deliver('alice', mailText('one'), { folder: 'Read', receivedAt });
    server.deliver('alice', mailText('two'), { folder: 'Read', receivedAt, flags: ['\\Seen', '\\Flagged'] });
    const session = await sessionOn(context, server);

    const mails = await fetchAll(session, 'Read');
    const facts = await session.facts('Read', EVERYTHING);

    assert.deepEqual(
      mails.map(({ email, contentHash: _, ...rest }) => ({ ...rest, subject: email.subject, text: email.text })),
      [
        { uid: 1, flags: [], receivedAt, size: mailText('one').length, subject: 'one', text: 'Text' },
        {
          uid: 2,
          flags: ['\\Flagged', '\\Seen'],
          receivedAt,
          size: mailText('two').length,
          subject: 'two',
          text: 'Text',
        },
      ].map((mail) => ({ ...mail, flags: mail.flags })),
    );
    assert.deepEqual(
      facts,
      mails.map(({ email: _, contentHash: __, ...fact }) => fact),
    );
    assert.deepEqual(
      server.folderOf('alice', 'Read').map(({ flags }) => flags),
      [[], ['\\Flagged', '\\Seen']],
    );
  });

  test('fetches a range, in batches that wait for each other', async (context) => {
    for (let number = 1; number <= 250; number += 1) server.deliver('bob', mailText(`number ${number}`));
    const session = await sessionOn(context, server, { user: 'bob' });
    const sizes: number[] = [];
    const uids: number[] = [];
    let running = 0;

    await session.fetch('INBOX', { from: 11, to: 240 }, async (batch) => {
      running += 1;
      assert.equal(running, 1);
      await new Promise((resolve) => setImmediate(resolve));
      sizes.push(batch.length);
      uids.push(...batch.map(({ uid }) => uid));
      running -= 1;
    });

    assert.deepEqual(sizes, [100, 100, 30]);
    assert.deepEqual(
      uids,
      Array.from({ length: 230 }, (_, index) => index + 11),
    );
    assert.deepEqual((await session.uids('INBOX')).length, 250);
    // More than fit into one command.
    const odd = Array.from({ length: 2_000 }, (_, index) => 2 * index + 1);
    assert.deepEqual(
      await session.uids('INBOX', odd),
      odd.filter((uid) => uid <= 250),
    );
  });

  test('stops when a batch is not taken, and goes on to work', async (context) => {
    server.deliver('carol', mailText('a'));
    const session = await sessionOn(context, server, { user: 'carol' });
    const error = new Error('the disk is full');

    const failing = session.fetch('INBOX', EVERYTHING, async () => {
      throw error;
    });

    await assert.rejects(failing, (thrown) => thrown === error);
    assert.equal((await fetchAll(session, 'INBOX')).length, 1);
  });

  test('tells the state of a folder and what changed since', async (context) => {
    for (const subject of ['a', 'b', 'c']) server.deliver('dave', mailText(subject));
    const session = await sessionOn(context, server, { user: 'dave' });
    const other = await sessionOn(context, server, { user: 'dave' });
    const before = await session.status('INBOX');

    await other.setFlags('INBOX', [2], { add: ['\\Seen', '$Important'] });
    await other.expunge('INBOX', [3]);
    const changes = await session.changes('INBOX', {
      uidValidity: before.uidValidity,
      modseq: before.highestModseq ?? '',
    });
    const afterwards = await session.status('INBOX');

    assert.deepEqual([before.messages, before.uidNext, afterwards.messages, afterwards.uidNext], [3, 4, 2, 4]);
    assert.equal(before.uidValidity, afterwards.uidValidity);
    assert.deepEqual(changes, { flags: [{ uid: 2, flags: ['\\Seen', '$Important'] }], vanished: [3] });
    const none = await session.changes('INBOX', {
      uidValidity: before.uidValidity,
      modseq: afterwards.highestModseq ?? '',
    });
    assert.deepEqual(none, { flags: [], vanished: [] });
  });

  test('changes flags, moves, and deletes exactly what it is told to', async (context) => {
    for (const subject of ['a', 'b', 'c', 'd']) server.deliver('erin', mailText(subject));
    const session = await sessionOn(context, server, { user: 'erin' });
    // Marked by another client: it must survive.
    await session.setFlags('INBOX', [1], { add: ['\\Deleted'] });

    await session.setFlags('INBOX', [2, 3], { add: ['\\Seen', '$Label'] });
    await session.setFlags('INBOX', [3], { remove: ['\\Seen'] });
    const moved = await session.move('INBOX', [3], 'Archive');
    await session.expunge('INBOX', [4]);

    const left = server.folderOf('erin');
    assert.deepEqual(
      left.map(({ raw, flags }) => [/^Subject: (.*)\r$/m.exec(raw)?.[1], ...flags]),
      [
        ['a', '\\Deleted'],
        ['b', '\\Seen', '$Label'],
      ],
    );
    assert.deepEqual([...moved], [[3, 1]]);
    assert.deepEqual(
      server.folderOf('erin', 'Archive').map(({ flags }) => flags),
      [['$Label']],
    );
  });

  test('appends an email with flags', async (context) => {
    const session = await sessionOn(context, server, { user: 'frank' });
    await session.status('Drafts');
    await session.uids('Drafts');

    const first = await session.append('Drafts', Buffer.from(mailText('draft')), ['\\Draft', '\\Seen']);
    const second = await session.append('Drafts', Buffer.from(mailText('other')), ['$Later']);

    assert.deepEqual([first, second], [1, 2]);
    assert.deepEqual(server.folderOf('frank', 'Drafts'), [
      { raw: mailText('draft'), flags: ['\\Draft', '\\Seen'] },
      { raw: mailText('other'), flags: ['$Later'] },
    ]);
  });

  test('finds exactly the emails with a Message-ID', async (context) => {
    const ids = ['abc@test', 'abc@test.example', 'x"y\\z@test', 'ü@test', 'abc@test'];
    for (const id of ids) server.deliver('frank', mailText('m', { id }), { folder: 'Ids' });
    const session = await sessionOn(context, server, { user: 'frank' });

    const found = await Promise.all(
      ['abc@test', 'x"y\\z@test', 'ü@test', 'bc@test', 'a\r\nb', '', '"', 'none'].map((id) =>
        session.withMessageId('Ids', id),
      ),
    );

    assert.deepEqual(found, [[1, 5], [3], [4], [], [], [], [], []]);
  });

  test('gives the source and parts of an email within a limit', async (context) => {
    const content = Buffer.from('PDF\x00\xff content', 'latin1');
    const raw = [
      'Subject: parts',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Gr=C3=B6=C3=9Fe',
      '--b',
      'Content-Type: application/pdf; name=a.pdf',
      'Content-Transfer-Encoding: base64',
      '',
      content.toString('base64'),
      '--b',
      'Content-Type: message/rfc822',
      '',
      'Subject: inner',
      '',
      'Inner',
      '--b--',
      '',
    ].join('\r\n');
    server.deliver('heidi', raw);
    const session = await sessionOn(context, server, { user: 'heidi' });

    const source = await session.source('INBOX', 1, 10_000);
    const parts = await Promise.all(['1', '2', '3', '3.1'].map((part) => session.part('INBOX', 1, part, 1_000)));

    assert.equal(Buffer.from(source).toString('latin1'), raw);
    assert.deepEqual(
      parts.map(({ mime }) => mime),
      ['text/plain', 'application/pdf', 'message/rfc822', 'text/plain'],
    );
    assert.equal(Buffer.from(parts[0]?.content ?? []).toString(), 'Größe');
    assert.deepEqual(Buffer.from(parts[1]?.content ?? []), content);
    assert.equal(Buffer.from(parts[3]?.content ?? []).toString(), 'Inner');
    await assert.rejects(session.source('INBOX', 1, 100), isRefused('The email is too large.'));
    await assert.rejects(session.part('INBOX', 1, '2', 3), isRefused('The attachment is too large.'));
    await assert.rejects(session.part('INBOX', 1, '9', 100), isRefused('The email has no such part.'));
    await assert.rejects(session.source('INBOX', 99, 100), isRefused('The email is no longer in this folder.'));
    assert.deepEqual(server.folderOf('heidi')[0]?.flags, []);
  });

  test('refuses folders that do not exist', async (context) => {
    const session = await sessionOn(context, server);
    const missing = isRefused('The folder does not exist on the server.');

    await assert.rejects(session.status('Nowhere'), missing);
    await assert.rejects(session.uids('Nowhere'), missing);
    await assert.rejects(session.append('Nowhere', Buffer.from('x'), []), missing);
    server.deliver('alice', mailText('stays'), { folder: 'Stays' });
    await assert.rejects(session.move('Stays', [1], 'Nowhere'), missing);

    assert.equal(server.folderOf('alice', 'Stays').length, 1);
  });

  test('closes without leaving anything open', async (context) => {
    const session = await sessionOn(context, server);

    await session.close();

    assert.equal(await session.closed, undefined);
    await assert.rejects(session.status('INBOX'), (error) => error instanceof MailError && error.kind === 'lost');
    await session.close();
  });
});

function isRefused(message: string) {
  return (error: unknown) => {
    assert.ok(error instanceof MailError, String(error));
    assert.deepEqual([error.kind, error.message], ['refused', message]);
    return true;
  };
}
