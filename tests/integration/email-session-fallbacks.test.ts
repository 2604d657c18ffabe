import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MailError } from '../../src/connectors/mail-connector.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import type { ImapExtension } from '../support/email/mail-server-options.ts';
import { fetchAll, mailText, sessionOn } from '../support/email/mail-session.ts';

const NEVER = new AbortController().signal;
const BARE: readonly ImapExtension[] = [
  'CONDSTORE',
  'ENABLE',
  'ESEARCH',
  'IDLE',
  'LIST-EXTENDED',
  'LIST-STATUS',
  'LITERAL+',
  'MOVE',
  'NAMESPACE',
  'QRESYNC',
  'SASL-IR',
  'SPECIAL-USE',
  'UIDPLUS',
];

test('a server without any extension is read and changed all the same', async (context) => {
  const server = await startMailServer({ without: BARE });
  context.after(() => server.stop());
  for (const subject of ['a', 'b', 'c']) server.deliver('alice', mailText(subject));
  const session = await sessionOn(context, server, { limits: { pollMs: 5 } });

  const status = await session.status('INBOX');
  const folders = await session.folders({ withStatus: true });
  const mails = await fetchAll(session, 'INBOX');
  await session.setFlags('INBOX', [1], { add: ['\\Seen'] });
  await session.move('INBOX', [2], 'Archive');
  const appended = await session.append('Drafts', Buffer.from(mailText('draft')), ['\\Draft']);

  assert.deepEqual(session.can, { condstore: false, qresync: false, idle: false, move: false });
  assert.deepEqual([status.messages, status.highestModseq], [3, undefined]);
  assert.ok(folders.every((folder) => folder.status === undefined));
  assert.deepEqual(
    mails.map(({ email }) => email.subject),
    ['a', 'b', 'c'],
  );
  assert.deepEqual(await session.uids('INBOX'), [1, 2, 3]);
  assert.deepEqual(await session.uids('INBOX', [5, 3, 1]), [1, 3]);
  // It cannot be deleted without deleting what others have marked, too.
  assert.deepEqual(
    server.folderOf('alice').map(({ flags }) => flags),
    [['\\Seen'], ['\\Deleted'], []],
  );
  assert.equal(appended, undefined);
  assert.equal(server.folderOf('alice', 'Archive').length, 1);
  assert.deepEqual(
    server.folderOf('alice', 'Drafts').map(({ flags }) => flags),
    [['\\Draft']],
  );
  await assert.rejects(session.expunge('INBOX', [1]), isRefused('The server cannot delete single emails for good.'));
  const since = { uidValidity: status.uidValidity, modseq: '1' };
  await assert.rejects(session.changes('INBOX', since), isRefused('The server does not keep track of changes.'));
  assert.deepEqual(await session.withMessageId('INBOX', 'c@test'), [3]);
});

test('a server without IDLE is asked again and again', async (context) => {
  const server = await startMailServer({ without: ['IDLE'] });
  context.after(() => server.stop());
  const session = await sessionOn(context, server, { limits: { pollMs: 5 } });
  await session.status('INBOX');
  const watching = session.watch('INBOX', NEVER);

  server.deliver('alice', mailText('new'));

  assert.equal(await watching, 'changed');
});

test('a server with CONDSTORE only tells changed flags, but not what is gone', async (context) => {
  const server = await startMailServer({ without: ['QRESYNC'] });
  context.after(() => server.stop());
  for (const subject of ['a', 'b']) server.deliver('alice', mailText(subject));
  const session = await sessionOn(context, server);
  const { uidValidity, highestModseq = '' } = await session.status('INBOX');

  await session.setFlags('INBOX', [1], { add: ['\\Flagged'] });
  await session.expunge('INBOX', [2]);
  const changes = await session.changes('INBOX', { uidValidity, modseq: highestModseq });

  assert.deepEqual(session.can, { condstore: true, qresync: false, idle: true, move: true });
  assert.deepEqual(changes, { flags: [{ uid: 1, flags: ['\\Flagged'] }] });
});

test('without MOVE an email is copied and exactly the original deleted', async (context) => {
  const server = await startMailServer({ without: ['MOVE'] });
  context.after(() => server.stop());
  for (const subject of ['a', 'b', 'c']) server.deliver('alice', mailText(subject), { flags: ['\\Flagged'] });
  const session = await sessionOn(context, server);
  await session.setFlags('INBOX', [1], { add: ['\\Deleted'] });

  const moved = await session.move('INBOX', [2, 3], 'Archive');

  assert.deepEqual(
    [...moved],
    [
      [2, 1],
      [3, 2],
    ],
  );
  assert.deepEqual(
    server.folderOf('alice').map(({ flags }) => flags),
    [['\\Flagged', '\\Deleted']],
  );
  assert.deepEqual(
    server.folderOf('alice', 'Archive').map(({ flags }) => flags),
    [['\\Flagged'], ['\\Flagged']],
  );
});

test('without SPECIAL-USE roles are known from names, one folder each', async (context) => {
  const names = [
    'Gesendet',
    'Papierkorb',
    'Entwürfe',
    'Spamverdacht',
    'Archiv',
    'Sent',
    'Work.Trash',
    'Sent to clients',
  ];
  const server = await startMailServer({
    without: ['SPECIAL-USE'],
    folders: names.map((name) => ({ name })),
    separator: '.',
  });
  context.after(() => server.stop());
  const session = await sessionOn(context, server);

  const folders = await session.folders();

  const roles = new Map(folders.map(({ path, role }) => [path, role]));
  assert.deepEqual(
    ['INBOX', 'Papierkorb', 'Entwürfe', 'Archiv', 'Work.Trash', 'Sent to clients'].map((path) => roles.get(path)),
    ['inbox', 'trash', 'drafts', 'archive', undefined, undefined],
  );
  const taken = folders.flatMap(({ role }) => role ?? []);
  assert.equal(new Set(taken).size, taken.length);
  assert.ok(taken.includes('sent'));
  assert.deepEqual(folders.find(({ path }) => path === 'Work.Trash')?.names, ['Work', 'Trash']);
});

test('a folder whose emails are numbered anew is not changed', async (context) => {
  const server = await startMailServer();
  context.after(() => server.stop());
  server.deliver('alice', mailText('a'), { folder: 'Old' });
  const session = await sessionOn(context, server);
  const before = await session.status('Old');

  server.renumber('alice', 'Old');

  const renumbered = isRefused('The server has numbered the emails of the folder anew.');
  await assert.rejects(session.setFlags('Old', [1], { add: ['\\Deleted'] }), renumbered);
  await assert.rejects(session.source('Old', 1, 1_000), renumbered);
  assert.notEqual((await session.status('Old')).uidValidity, before.uidValidity);
  assert.match(Buffer.from(await session.source('Old', 1, 1_000)).toString(), /Subject: a/);
});

function isRefused(message: string) {
  return (error: unknown) => {
    assert.ok(error instanceof MailError, String(error));
    assert.deepEqual([error.kind, error.message], ['refused', message]);
    return true;
  };
}
