import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailServer } from '../support/email/mail-server.ts';
import { fetchAll, mailText, sessionOn } from '../support/email/mail-session.ts';

const NAMES = [
  'two words',
  ' blanks around ',
  'a "quoted" name',
  "it's",
  'back\\slash',
  'all * of % them',
  'R&D',
  '&APw-',
  'Größe',
  '日本語のフォルダー',
  '📬 mail',
  'שלום',
  '(x)',
  '{5}',
  'NIL',
  '[Gmail]',
  'home~user',
  'name=value;',
  'x'.repeat(150),
];

for (const separator of ['/', '.'] as const) {
  test(`folders with difficult names are created, read and changed, with ${separator} between their parts`, async (context) => {
    const server = await startMailServer({ users: ['alice'], separator });
    context.after(() => server.stop());
    const session = await sessionOn(context, server);
    const paths = NAMES.flatMap((name) => [name, ['Parent', name].join(separator)]);

    for (const path of paths) await session.createFolder(path);
    const listed = new Map((await session.folders()).map((folder) => [folder.path, folder]));
    for (const path of paths) {
      const uid = await session.append(path, Buffer.from(mailText('in it')), ['\\Seen']);
      const [mail] = await fetchAll(session, path);
      const moved = await session.move(path, [uid ?? 0], 'Archive');

      assert.equal(mail?.email.subject, 'in it', path);
      assert.equal(moved.size, 1, path);
      assert.deepEqual(listed.get(path)?.names, path.startsWith('Parent') ? ['Parent', path.slice(7)] : [path]);
      assert.ok(listed.get(path)?.isSelectable, path);
      assert.equal((await session.status(path)).messages, 0, path);
    }

    assert.equal(server.folderOf('alice', 'Archive').length, paths.length);
    // Creating again is not a failure.
    await session.createFolder('two words');
  });
}

test('a folder within another is not for a purpose because of its name', async (context) => {
  const folders = ['Drafts', 'Sent'].map((name) => ({ name, specialUse: `\\${name}` }));
  const server = await startMailServer({ users: ['alice'], folders });
  context.after(() => server.stop());
  const session = await sessionOn(context, server);
  const names = ['Projects/Archive', 'Research/Spam', 'INBOX/Trash'];
  for (const path of names) await session.createFolder(path);

  const roles = new Map((await session.folders()).map(({ path, role }) => [path, role]));

  assert.deepEqual(
    names.map((path) => roles.get(path)),
    [undefined, undefined, 'trash'],
  );
});

test('a folder within another does not keep the right one from being found', async (context) => {
  const server = await startMailServer({ users: ['alice'], folders: [] });
  context.after(() => server.stop());
  const session = await sessionOn(context, server);
  const names = [
    'Before/Sent',
    'Sent Mail',
    'Before/Drafts',
    'INBOX/Drafts',
    'Before/Trash',
    'INBOX/Trash Mail',
    'Trash',
  ];
  for (const path of names) await session.createFolder(path);

  const roles = new Map((await session.folders()).map(({ path, role }) => [path, role]));

  assert.deepEqual(
    names.map((path) => roles.get(path)),
    [undefined, 'sent', undefined, 'drafts', undefined, undefined, 'trash'],
  );
});

test('new folders are among those of the user, where these have a prefix', async (context) => {
  const server = await startMailServer({ users: ['alice'], separator: '.', prefix: 'INBOX.', folders: [] });
  context.after(() => server.stop());
  const session = await sessionOn(context, server);

  for (const path of ['Trash', 'INBOX.Projects']) await session.createFolder(path);

  assert.deepEqual(
    (await session.folders()).map(({ path, role }) => [path, role]),
    [
      ['INBOX', 'inbox'],
      ['INBOX.Trash', 'trash'],
      ['INBOX.Projects', undefined],
    ],
  );
});

test('folders are listed with the states that they have at the moment', async (context) => {
  const server = await startMailServer({ users: ['alice'] });
  context.after(() => server.stop());
  const [session, other] = [await sessionOn(context, server), await sessionOn(context, server)];
  await session.createFolder('Größe');
  await other.append('Größe', Buffer.from(mailText('in it')), []);

  for (const count of [1, 2, 3]) {
    server.deliver('alice', mailText(`number ${count}`));
    const folders = await session.folders({ withStatus: true });
    const inbox = folders.find(({ role }) => role === 'inbox');
    // It is open from now on.
    assert.equal((await fetchAll(session, 'INBOX')).length, count);
    assert.deepEqual([inbox?.status?.messages, inbox?.status?.uidNext], [count, count + 1]);
  }
  await other.setFlags('INBOX', [2], { add: ['\\Seen'] });
  for (const { path, status } of await session.folders({ withStatus: true })) {
    assert.deepEqual(status, await session.status(path), path);
  }
  assert.ok((await session.folders()).every(({ status }) => status === undefined));
});

test('the state of the open folder has what arrived and changed a moment ago', async (context) => {
  const server = await startMailServer({ users: ['alice'] });
  context.after(() => server.stop());
  const [session, other] = [await sessionOn(context, server), await sessionOn(context, server)];

  for (const count of [1, 2, 3, 4, 5]) {
    server.deliver('alice', mailText(`number ${count}`));
    const { messages, uidNext } = await session.status('INBOX');
    assert.deepEqual([messages, uidNext, (await fetchAll(session, 'INBOX')).length], [count, count + 1, count]);
  }
  const before = await session.status('INBOX');
  await other.setFlags('INBOX', [2], { add: ['\\Seen'] });
  const after = await session.status('INBOX');

  assert.notEqual(after.highestModseq, before.highestModseq);
});
