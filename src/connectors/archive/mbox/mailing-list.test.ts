import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mboxOf } from '../../../../tests/support/archives/mbox.ts';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { mbox } from './importer.ts';

describe('the importer of mail, for mailing lists', () => {
  test('recognises archives of mailing lists by their content, and reads them in the order of their dates', async () => {
    const letter = (id: string) => mboxOf({ fields: { 'Message-ID': `<${id}@x>` } });
    const archive = archiveOf({
      'list/2007-June.txt': letter('june'),
      'list/2007-April.txt': letter('april'),
      'list/2006-December.txt': letter('december'),
      'list/2007q4.txt': letter('quarter'),
      'list/Week-of-Mon-20080107.txt': letter('week'),
      'list/list-2008-02.archive': letter('month'),
      'list/notes.txt': 'no mail here\n',
      'list/index.html': '<html>',
    });

    const { messages, skipped } = await readOpened(mbox, archive);

    assert.deepEqual(
      messages.map(({ id }) => id),
      ['december@x', 'april@x', 'june@x', 'quarter@x', 'week@x', 'month@x'],
    );
    assert.deepEqual(skipped, [{ why: 'not_a_chat', where: 'list/notes.txt' }]);
  });

  test('has the addresses that mailing list programs hide', async () => {
    const { messages } = await readText(
      mboxOf(
        { fields: { From: 'Ada.L at example.test (Ada Lovelace)' } },
        { fields: { From: 'bob at sub.example.test' } },
        { fields: { From: 'meet me at noon' } },
      ),
    );

    assert.deepEqual(
      messages.map(({ sender }) => [sender.id, sender.name]),
      [
        ['ada.l@example.test', 'Ada Lovelace'],
        ['bob@sub.example.test', 'bob@sub.example.test'],
        ['meet me at noon', 'meet me at noon'],
      ],
    );
  });

  test('has texts and headers without a character set in Windows-1252; what is not decoded is reported with its line', async () => {
    const latin = mboxOf(
      { fields: { 'Message-ID': '<a@x>', Subject: 'Gr\xfc\xdfe', From: 'Andr\xe9 <a@x.test>' }, body: 'caf\xe9 \x80' },
      { fields: { 'Message-ID': '<b@x>', 'Content-Type': 'text/plain; charset=x-none' }, body: 'caf\xe9' },
      { fields: { 'Message-ID': '<c@x>', 'Content-Type': 'text/plain; charset=utf-8' }, body: '\xc3\xa9 \xff!' },
    );

    const { messages, skipped } = await readOpened(mbox, archiveOf({ 'x.mbox': Buffer.from(latin, 'latin1') }));

    assert.deepEqual(
      messages.map(({ text, sender }) => [sender.name, text]),
      [
        ['André', 'Grüße\n\ncafé €'],
        ['Ada', 'Plan\n\ncafé'],
        ['Ada', 'Plan\n\né \ufffd!'],
      ],
    );
    assert.deepEqual(skipped, [{ why: 'undecoded', where: 'x.mbox:18' }]);
  });

  test('contains the text of emails within emails, as in the digest of a list', async () => {
    const body = [
      '--b',
      '',
      'Today: two letters',
      '--b',
      'Content-Type: multipart/digest; boundary=d',
      '',
      '--d',
      '',
      'From: Bob <bob@example.test>',
      'Subject: =?utf-8?q?K=C3=A4se?=',
      '',
      'one',
      '--d',
      '',
      'Subject: Bread',
      '',
      'two',
      '--d--',
      '--b--',
    ].join('\n');

    const { messages } = await readText(mboxOf({ fields: { 'Content-Type': 'multipart/mixed; boundary=b' }, body }));

    assert.equal(
      messages[0]?.text,
      'Plan\n\nToday: two letters\n\nFrom: Bob <bob@example.test>\nSubject: Käse\n\none\n\nSubject: Bread\n\ntwo',
    );
  });
});

function readText(content: string) {
  return readOpened(mbox, archiveOf({ 'x.mbox': content }));
}
