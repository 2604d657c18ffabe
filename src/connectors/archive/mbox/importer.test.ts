import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { mboxOf } from '../../../../tests/support/archives/mbox.ts';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { AppError } from '../../../domain/errors.ts';
import { mbox } from './importer.ts';

const AT = Date.UTC(2024, 5, 13, 12, 34, 56);

function read(content: string, options: { me?: string } = {}) {
  return readOpened(mbox, archiveOf({ 'All mail.mbox': content }), options);
}

describe('an mbox', () => {
  test('contains emails with conversation, sender, time and id', async () => {
    const { messages, skipped, items } = await read(mboxOf({}));

    assert.deepEqual(messages, [
      {
        chat: { id: '1@example.test', type: 'thread', name: 'Plan' },
        id: '1@example.test',
        sender: { id: 'ada@example.test', name: 'Ada' },
        text: 'Plan\n\nhello',
        contentType: 'text',
        at: AT,
      },
    ]);
    assert.deepEqual(skipped, []);
    const last = items.findLast((item) => item.kind === 'progress');
    assert.ok(last && last.done === last.total);
  });

  test('groups replies into conversations by references, by the email they reply to, and by subject', async () => {
    const { messages } = await read(
      mboxOf(
        { fields: { 'Message-ID': '<a@x>' } },
        { fields: { 'Message-ID': '<b@x>', 'In-Reply-To': '<a@x>', Subject: 'Re: Plan' } },
        { fields: { 'Message-ID': '<c@x>', 'In-Reply-To': 'Your message <b@x> of today', Subject: 'AW: Re: Plan' } },
        { fields: { 'Message-ID': '<d@x>', References: '<a@x>\n <lost@x>', Subject: 'Other' } },
        { fields: { 'Message-ID': '<e@x>', Subject: 'RE: plan' } },
        { fields: { 'Message-ID': '<f@x>', Subject: 'Plan' } },
        { fields: { 'Message-ID': '<g@x>', References: '<unseen@x> <g0@x>', Subject: 'Re: Old' } },
        { fields: { 'Message-ID': '<unseen@x>', Subject: 'Old' } },
        { fields: { 'Message-ID': '<h@x>', 'X-GM-THRID': '1801', Subject: 'Google' } },
      ),
    );

    assert.deepEqual(
      messages.map(({ id, chat, replyTo, text }) => [id, chat.id, chat.name, replyTo, text.split('\n')[0]]),
      [
        ['a@x', 'a@x', 'Plan', undefined, 'Plan'],
        ['b@x', 'a@x', undefined, 'a@x', 'hello'],
        ['c@x', 'a@x', undefined, 'b@x', 'hello'],
        ['d@x', 'a@x', undefined, 'lost@x', 'Other'],
        ['e@x', 'a@x', undefined, undefined, 'hello'],
        ['f@x', 'f@x', 'Plan', undefined, 'Plan'],
        ['g@x', 'unseen@x', 'Old', 'g0@x', 'hello'],
        ['unseen@x', 'unseen@x', undefined, undefined, 'Old'],
        ['h@x', 'gmail:1801', 'Google', undefined, 'Google'],
      ],
    );
  });

  test('has decoded names, subjects and bodies, and prefers plain text to HTML', async () => {
    const { messages } = await read(
      mboxOf(
        {
          fields: {
            From: '=?utf-8?q?Andr=C3=A9?= <andre@example.test>',
            Subject: '=?utf-8?b?w5xiZXI=?= =?utf-8?q?_uns?=',
            'Content-Type': 'text/plain; charset=iso-8859-1',
            'Content-Transfer-Encoding': 'quoted-printable',
          },
          body: 'caf=E9 au lait, sou=\nvent',
        },
        {
          fields: { 'Message-ID': '<2@x>', 'Content-Type': 'multipart/alternative; boundary=b' },
          body: '--b\nContent-Type: text/plain\n\nplain\n--b\nContent-Type: text/html\n\n<p>page</p>\n--b--',
        },
        {
          fields: {
            'Message-ID': '<3@x>',
            'Content-Type': 'text/html; charset=utf-8',
            'Content-Transfer-Encoding': 'base64',
          },
          body: Buffer.from(
            '<p>only a <b>page</b></p><img src="https://track.test/x.gif"><script>x()</script>',
          ).toString('base64'),
        },
      ),
    );

    assert.equal(messages[0]?.sender.name, 'André');
    assert.deepEqual(
      messages.map(({ text }) => text),
      ['Über uns\n\ncafé au lait, souvent', 'Plan\n\nplain', 'Plan\n\nonly a page'],
    );
  });

  test('has attachments with name, type and size', async () => {
    const body = [
      '--b',
      'Content-Type: text/plain',
      '',
      'see below',
      '--b',
      'Content-Type: application/pdf; name="a.pdf"',
      'Content-Disposition: attachment; filename="a.pdf"',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.alloc(100).toString('base64'),
      '--b',
      'Content-Type: image/png',
      "Content-Disposition: inline; filename*=utf-8''gr%C3%BC%C3%9Fe.png",
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.alloc(3).toString('base64'),
      '--b--',
    ].join('\n');

    const { messages } = await read(mboxOf({ fields: { 'Content-Type': 'multipart/mixed; boundary="b"' }, body }));

    assert.equal(messages[0]?.text, 'Plan\n\nsee below');
    assert.deepEqual(messages[0]?.attachments, [
      { type: 'file', name: 'a.pdf', mime: 'application/pdf', size: 100 },
      { type: 'image', name: 'grüße.png', mime: 'image/png', size: 3 },
    ]);
  });

  test('uses the date of the From line if an email has none, and skips the email if neither is valid', async () => {
    const { messages, skipped } = await read(
      mboxOf(
        { fields: { Date: '', 'Message-ID': '<a@x>' } },
        { fields: { Date: 'soon', 'Message-ID': '<b@x>' }, envelope: 'From - Thu Jun 13 14:34:56 +0200 2024' },
        { fields: { Date: 'soon', 'Message-ID': '<c@x>' }, envelope: 'From - Thu Foo 99 14:34:56 2024' },
      ),
    );

    assert.deepEqual(
      messages.map(({ id, at }) => [id, at]),
      [
        ['a@x', AT],
        ['b@x', AT],
      ],
    );
    assert.deepEqual(skipped, [{ why: 'no_time', where: 'All mail.mbox:16' }]);
  });

  test('assigns stable ids to emails without an id, different for different emails', async () => {
    const content = mboxOf(
      { fields: { 'Message-ID': '' }, body: 'one' },
      { fields: { 'Message-ID': '' }, body: 'one' },
      { fields: { 'Message-ID': '<>' }, body: 'two' },
    );

    const [first, again] = [await read(content), await read(content)];

    assert.equal(new Set(first.messages.map(({ id }) => id)).size, 3);
    assert.deepEqual(again.items, first.items);
  });

  test('has the sender from other fields if From is empty, and recognises the user by address, name or label', async () => {
    const content = mboxOf(
      { fields: { From: '', Sender: 'list@example.test' } },
      { fields: { From: 'Team: Bob <bob@example.test>, c@example.test;' } },
      { fields: { From: '' } },
      { fields: { From: '"only a name"', 'X-Gmail-Labels': 'Important,Sent' } },
      { fields: { From: '' }, envelope: 'From - Thu Jun 13 12:34:56 2024' },
    );

    const { messages } = await read(content, { me: 'BOB' });

    assert.deepEqual(
      messages.map(({ sender, isOwn }) => [sender.id, sender.name, isOwn]),
      [
        ['list@example.test', 'list@example.test', undefined],
        ['bob@example.test', 'Bob', true],
        ['ada@example.test', 'ada@example.test', undefined],
        ['only a name', 'only a name', true],
        ['unknown', 'unknown', undefined],
      ],
    );
  });

  test('reads the mail files of a folder, and reports other files', async () => {
    const archive = archiveOf({
      'Mail/Inbox': mboxOf({ fields: { 'Message-ID': '<a@x>' } }),
      'Mail/Inbox.msf': 'index',
      'Mail/Sent.mbox': `\njunk\n\n${mboxOf({ fields: { 'Message-ID': '<b@x>' } })}`,
      'Mail/one.eml': 'From: c@x.test\nDate: Thu, 13 Jun 2024 12:34:56 +0000\nMessage-ID: <c@x>\n\nhi\n',
      'Mail/README': 'nothing',
    });

    const { messages, skipped } = await readOpened(mbox, archive);

    assert.deepEqual(
      messages.map(({ id }) => id),
      ['a@x', 'b@x', 'c@x'],
    );
    assert.deepEqual(skipped, [
      { why: 'not_a_chat', where: 'Mail/README' },
      { why: 'preamble', where: 'Mail/Sent.mbox:1' },
    ]);
  });

  for (const [what, content] of Object.entries({ 'a word': 'hello', 'lines with colons': 'ada: hello\nbob: hi\n' })) {
    test(`is rejected with its path if it contains only ${what}`, async () => {
      const archive = archiveOf({ 'x.mbox': content }, { path: '/exports/x.mbox' });

      await assert.rejects(
        readOpened(mbox, archive),
        (error) => error instanceof AppError && /x\.mbox/.test(error.message),
      );
    });
  }

  test('can contain hostile emails', async () => {
    const deep = Array.from(
      { length: 500 },
      (_, depth) => `--b${depth}\nContent-Type: multipart/mixed; boundary=b${depth + 1}\n\n`,
    );
    const content = mboxOf(
      { fields: { 'Message-ID': '<deep@x>', 'Content-Type': 'multipart/mixed; boundary=b0' }, body: deep.join('') },
      {
        fields: { 'Message-ID': '<wide@x>', 'Content-Type': 'multipart/mixed; boundary=b' },
        body: '--b\n\nx\n'.repeat(20_000),
      },
      { fields: { 'Message-ID': '<long@x>', Subject: 'x'.repeat(100_000), References: '<r@x> '.repeat(20_000) } },
      {
        fields: {
          'Message-ID': '<type@x>',
          'Content-Type': 'text/plain; charset=nonsense',
          'Content-Transfer-Encoding': 'x-uuencode',
        },
      },
      { fields: { 'Message-ID': '<last@x>' } },
    );

    const { messages, skipped } = await read(content);

    assert.deepEqual(
      messages.map(({ id }) => id),
      ['deep@x', 'wide@x', 'long@x', 'type@x', 'last@x'],
    );
    assert.match(messages[1]?.text ?? '', /^Plan\n\nx\n(?:.|\n)*x$/);
    assert.deepEqual(
      skipped.map(({ why }) => why),
      ['too_deep', 'too_large'],
    );
  });

  test('cuts a long text between two characters, which is one loss', async () => {
    const body = `${'漢字'.repeat(30)}\n`.repeat(15_000);

    const { messages, skipped } = await read(
      mboxOf({ fields: { 'Content-Type': 'text/plain; charset=utf-8', Subject: 'Re: Plan' }, body }),
    );

    assert.ok(body.startsWith(messages[0]?.text ?? '?'));
    assert.deepEqual(
      skipped.map(({ why }) => why),
      ['too_large'],
    );
  });

  test('loses no valid email among invalid ones, and always gives the same result', async () => {
    const junk = fc
      .string({ unit: 'binary', maxLength: 80 })
      .map((text) => `${text.replaceAll(/^From /gm, '>From ')}\n\n`);
    const field = fc.constantFrom(
      'Subject',
      'From',
      'Content-Type',
      'Content-Transfer-Encoding',
      'References',
      'In-Reply-To',
      'Sender',
      'X',
    );
    const value = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom('multipart/mixed; boundary=b', 'text/html', 'base64', '<1@x> <', '=?utf-8?b?'),
    );
    const letter = fc.record({
      fields: fc.dictionary(
        field,
        value.map((text) => text.replaceAll(/[\r\n]/g, ' ')),
      ),
      body: junk,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(letter, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 200 }),
        async (letters, chunk) => {
          const content = mboxOf(
            ...letters.map(({ fields, body }, index) => ({
              fields: { ...fields, 'Message-ID': `<${index}@x>` },
              body,
            })),
          );
          const archive = archiveOf({ 'x.mbox': content }, { chunk });

          const [first, again] = [await readOpened(mbox, archive), await readOpened(mbox, archive)];

          assert.deepEqual(again.items, first.items);
          const found = first.messages.map(({ id }) => id);
          assert.deepEqual(
            found,
            letters.map((_, index) => `${index}@x`),
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});
