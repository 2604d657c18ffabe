import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmailProgram } from '../support/email/email-program.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = await startMailServer({ users: ['alice'] });
after(() => server.stop());
const program = await startEmailProgram(join(temporaryFolder(after), 'home'), server, { work: { user: 'alice' } });
after(() => program.stop());
const { call } = program;

test('a draft shows what it will send, also after a change within the same second', async () => {
  const file = (name: string, content: string) => ({ name, content_base64: Buffer.from(content).toString('base64') });
  const changes = [
    { to: 'carol@example.test' },
    { cc: 'dave@example.test' },
    { bcc: 'boss@example.test' },
    { attachments: [file('new.txt', 'old')] },
    { attachments: [file('new.txt', 'new')] },
  ];
  // All changes have the same header `Date`, if they are quick enough.
  await delay(1_020 - (Date.now() % 1_000));
  let draft = await call('compose_email', {
    account: 'work',
    to: 'bob@example.test',
    subject: 'Quick',
    body: 'text',
    attachments: [file('old.txt', 'old')],
  });
  const ids = [draft.draft_id];
  for (const change of changes) {
    draft = await call('update_draft', { draft_id: draft.draft_id, ...change });
    ids.push(draft.draft_id);
  }

  const shown = await call('read_email', { message_id: draft.draft_id });

  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual([shown.to, shown.cc, shown.bcc], [draft.to, draft.cc, draft.bcc]);
  assert.deepEqual(draft.attachments, ['new.txt']);
  assert.deepEqual(
    (shown.attachments as { name: string }[]).map(({ name }) => name),
    ['new.txt'],
  );
  await call('delete_draft', { draft_id: draft.draft_id });
});

test('other files leave the text as it is, formatted', async () => {
  const before = await call('compose_email', {
    account: 'work',
    to: 'bob@example.test',
    subject: 'Files',
    body: '**Hi**',
  });
  const attachments = [{ name: 'note.txt', content_base64: Buffer.from('note').toString('base64') }];

  const added = await call('update_draft', { draft_id: before.draft_id, attachments });
  const withFile = server.folderOf('alice', 'Drafts').at(-1)?.raw ?? '';
  const removed = await call('update_draft', { draft_id: added.draft_id, attachments: [] });
  const withoutFile = server.folderOf('alice', 'Drafts').at(-1)?.raw ?? '';

  assert.deepEqual([added.attachments, removed.attachments], [['note.txt'], undefined]);
  for (const raw of [withFile, withoutFile]) {
    assert.match(raw, /^\*\*Hi\*\*/m);
    assert.match(raw, /<strong>Hi<\/strong>/);
  }
  assert.match(withFile, /filename="note\.txt"/);
  assert.doesNotMatch(withoutFile, /filename=|multipart\/mixed/);
  const sent = await call('read_email', { message_id: removed.draft_id });
  assert.equal(sent.body, '**Hi**');
  await call('delete_draft', { draft_id: removed.draft_id });
});
