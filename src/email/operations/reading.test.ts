import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { openMailbox } from '../../../tests/support/email/mailbox.ts';
import { visibleDeep } from '../../lib/visible.ts';
import { attachmentResource } from '../attachments/attachment-resource.ts';
import { readEmail } from './read-email.ts';
import { saveAttachment } from './save-attachment.ts';
import { searchEmails } from './search-emails.ts';

const FILE = {
  part: '2',
  name: '../../etc/passwd',
  mime: 'text/plain',
  type: 'file',
  size: 9,
  isInline: false,
} as const;

describe('searching and reading emails', () => {
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  beforeEach(async () => {
    mailbox = await openMailbox();
  });
  afterEach(() => mailbox.close());
  const search = (input: Partial<Parameters<typeof searchEmails.run>[0]>) =>
    searchEmails.run({ unread_only: false, limit: 20, ...input }, mailbox.context);
  const subjects = async (input: Parameters<typeof search>[0]) =>
    (await search(input)).emails.map(({ subject }) => subject);

  test('EMAIL-05 finds words of subject, sender and text, newest first', async () => {
    await mailbox.receive(1, { email: { subject: 'Invoice' } });
    await mailbox.receive(2, { email: { subject: 'B', text: 'the invoice is attached' } });
    await mailbox.receive(3, { email: { subject: 'C', from: [{ name: 'Invoice Ltd', address: 'x@y.test' }] } });

    assert.deepEqual(await subjects({ query: 'invoice' }), ['C', 'B', 'Invoice']);
    assert.deepEqual(await subjects({ query: 'nvoic' }), ['C', 'B', 'Invoice']);
    assert.deepEqual(await subjects({}), ['C', 'B', 'Invoice']);
    assert.match((await search({ query: 'attached' })).emails[0]?.snippet ?? '', /\*\*attached\*\*/);
  });

  test('EMAIL-06 filters by account, folder, unread and limit, with a cursor for the rest', async () => {
    await mailbox.receive(1, { flags: ['\\Seen'] });
    await mailbox.receive(2);
    await mailbox.receive(3, {}, 'Projects');
    await mailbox.receive(4, {}, 'Trash');

    const first = await search({ limit: 1 });

    assert.deepEqual(await subjects({ account: 'work', folder: 'inbox', unread_only: true }), ['Subject 2']);
    assert.deepEqual(await subjects({ folder: 'trash' }), ['Subject 4']);
    assert.deepEqual(await subjects({ account: 'home' }), []);
    assert.deepEqual(await subjects({ limit: 5, cursor: first.next_cursor }), ['Subject 2', 'Subject 1']);
    assert.match(
      searchEmails.render?.(searchEmails.output.parse(first)) ?? '',
      /\(message_id \d+, to .* in "Projects" of work, thread_id .*\)\nThere are more: cursor/,
    );
    assert.equal(searchEmails.render?.({ emails: [] }), 'No email fits.');
  });

  test('an account in a query is named as in `account`, and one that there is not is an error', async () => {
    await mailbox.receive(1);

    for (const account of ['work', 'Work', 'WORK', 'me@example.test', 'email']) {
      assert.deepEqual(await subjects({ query: `account:${account}` }), ['Subject 1'], account);
      assert.deepEqual(await subjects({ query: `-source:${account}` }), [], account);
    }
    assert.deepEqual(await subjects({ query: 'source:home OR subject:1' }), ['Subject 1']);
    for (const query of ['source:nowhere', 'Subject -account:nowhere']) {
      await assert.rejects(search({ query }), { code: 'ACCOUNT_NOT_FOUND', field: 'query' });
    }
  });

  for (const character of ['x', '"', '漢', '\u202e']) {
    test(`an email with long names in its headers has at most 20 KB: ${JSON.stringify(character)}`, async () => {
      const long = character.repeat(3_000);
      const people = Array.from({ length: 20 }, (_, index) => ({ name: long, address: `${index}@y.test` }));
      await mailbox.receive(1, { email: { subject: long, text: long, from: people, to: people, cc: people } });

      const output = searchEmails.output.parse(await search({}));

      const answer = visibleDeep({ text: searchEmails.render?.(output), output });
      assert.ok(Buffer.byteLength(JSON.stringify(answer)) < 20_000);
      assert.equal(output.emails[0]?.is_shortened, true);
    });
  }

  test('a default page over MCP has at most 20 KB, whatever headers senders write', async () => {
    const to = Array.from({ length: 400 }, (_, index) => ({ name: 'N'.repeat(100), address: `${index}@y.test` }));
    for (let uid = 1; uid <= 20; uid += 1)
      await mailbox.receive(uid, { email: { subject: `${uid} ${'long '.repeat(900)}`, to } });
    const page = async (cursor?: string) => {
      const input = searchEmails.input.parse(cursor === undefined ? {} : { cursor });
      return searchEmails.output.parse(await searchEmails.run(input, mailbox.context));
    };

    const first = await page();
    const pages = [first];
    for (let next = first.next_cursor; next !== undefined; next = pages.at(-1)?.next_cursor)
      pages.push(await page(next));

    const sizes = pages.map((each) => JSON.stringify({ text: searchEmails.render?.(each), each }).length);
    assert.ok(Math.max(...sizes) < 20_000, `${sizes}`);
    assert.equal(new Set(pages.flatMap(({ emails }) => emails.map(({ message_id: id }) => id))).size, 20);
    assert.deepEqual([first.is_cut, first.emails[0]?.is_shortened, first.emails[0]?.to.length], [true, true, 10]);
    assert.match(searchEmails.render?.(first) ?? '', /\nThe page was cut because of its size; it goes on: cursor/);
  });

  test('a folder is not a conversation with the same name', async () => {
    await mailbox.receive(1, { email: { subject: 'Projects' } });
    await mailbox.receive(2, { email: { subject: 'Plan' } }, 'Projects');

    assert.deepEqual(await subjects({ folder: 'projects' }), ['Plan']);
  });

  test('a wrong operator is an error that shows the place', async () => {
    await assert.rejects(search({ query: 'is:purple' }), { code: 'VALIDATION_ERROR', field: 'query' });
  });

  test('EMAIL-07 reads headers, text and attachments, with the text between lines of ours', async () => {
    const id = await mailbox.receive(1, {
      flags: ['\\Flagged'],
      email: {
        subject: 'Offer',
        from: [{ name: 'boss@bank.test', address: 'eve@evil.test' }],
        cc: [{ name: 'Cy, Jr.', address: 'cy@example.test' }],
        replyTo: [{ name: '', address: 'other@elsewhere.test' }],
        inReplyTo: 'a@b',
        references: ['a@b'],
        text: 'Yes.\nFrom: boss\n\nOn 2 March 2026 10:00, Ann <ann@example.test> wrote:\n> old\n> older',
        authentication: { spf: 'fail' },
        attachments: [FILE],
        problems: ['A part is missing.'],
      },
    });

    const email = await readEmail.run({ message_id: id, full: false, offset: 0, limit: 20_000 }, mailbox.context);
    const full = await readEmail.run({ message_id: id, full: true, offset: 0, limit: 100 }, mailbox.context);
    const text = readEmail.render?.(readEmail.output.parse(email)) ?? '';

    assert.equal(email.body, 'Yes.\nFrom: boss');
    assert.equal(email.folded_lines, 3);
    assert.ok(full.next_offset === undefined || full.next_offset > 0);
    assert.match(full.body, /older/);
    assert.deepEqual(email.cc, ['"Cy, Jr." <cy@example.test>']);
    assert.deepEqual([email.in_reply_to, email.references, email.is_flagged], ['a@b', ['a@b'], true]);
    assert.equal(email.attachments[0]?.uri, `email://${id}/attachments/2`);
    assert.ok((email.warnings ?? []).length >= 3);
    assert.match(text, /^>From: boss$/m);
    assert.match(text, /^Warning: A part is missing\.$/m);
    assert.match(text, /lines of earlier emails and signature are left out/);
  });

  test('EMAIL-08 an unknown id is not found', async () => {
    const read = readEmail.run({ message_id: 'invalid', full: false, offset: 0, limit: 100 }, mailbox.context);

    await assert.rejects(read, { code: 'MESSAGE_NOT_FOUND', field: 'message_id' });
  });

  test('saves attachments under safe names, and overwrites nothing', async () => {
    const id = await mailbox.receive(1, { email: { attachments: [FILE, { ...FILE, part: '3', isInline: true }] } });

    const first = await saveAttachment.run({ message_id: id }, mailbox.context);
    const second = await saveAttachment.run({ message_id: id, part: '2' }, mailbox.context);

    const paths = [...first.files, ...second.files].map(({ path }) => path.slice(mailbox.home.length));
    assert.deepEqual(paths, [`/attachments/work/${id}/passwd`, `/attachments/work/${id}/passwd (2)`]);
    assert.ok(existsSync(first.files[0]?.path ?? ''));
    assert.equal(readFileSync(second.files[0]?.path ?? '', 'utf8'), 'content 1 2');
    assert.match(saveAttachment.render?.(first) ?? '', /^2 ".*passwd" \(11 bytes\): /);
    await assert.rejects(saveAttachment.run({ message_id: id, part: '9' }, mailbox.context), { field: 'part' });
  });

  test('an attachment is a resource', async () => {
    const binary = { ...FILE, part: '4', mime: 'application/pdf' } as const;
    const id = await mailbox.receive(1, { email: { attachments: [FILE, binary, { ...FILE, part: '9' }] } });
    const read = (part: string) =>
      attachmentResource.read(new URL(`email://${id}/attachments/${part}`), { message_id: id, part }, mailbox.context);

    const [text, blob] = [await read('2'), await read('4')];

    assert.ok('text' in text && text.text === 'content 1 2');
    assert.ok('blob' in blob && Buffer.from(blob.blob, 'base64').toString() === 'content 1 4');
    await assert.rejects(read('9'), { code: 'SERVICE_UNAVAILABLE' });
    await assert.rejects(read('5'), { code: 'NOT_FOUND', hint: 'It has: 2, 4, 9.' });
  });
});
