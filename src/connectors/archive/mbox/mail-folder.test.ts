import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { mbox } from './importer.ts';

function email(id: number, body: string, fields = ''): string {
  return `From: Ada <ada@x.test>\nDate: Thu, 13 Jun 2024 10:00:0${id} +0000\nMessage-ID: <${id}@x>\n${fields}\n${body}\n`;
}

async function read(files: Record<string, string>) {
  const { messages, skipped } = await readOpened(mbox, archiveOf(files));
  return { texts: messages.map(({ id, text }) => `${id} ${text}`), skipped, messages };
}

const BODIES = [
  'Hi,\n\nFrom next week on\nMonday: closed\n\n>From what I see',
  'see\n\nFrom bob@x.test Thu Jun 13 10:00:00 2024\nSubject: forged\n\nnot an email',
];

describe('files that are one email', () => {
  for (const name of ['a.eml', 'inbox/12', 'cur/1718272800.M1P1.host:2,S', '.Sent/new/1718272800.M1P1.host,S=5']) {
    test(`have all of their text, whatever is in it: ${name}`, async () => {
      for (const body of BODIES) {
        const { texts, skipped } = await read({ [name]: email(1, body), 'other.eml': email(2, 'other') });

        assert.deepEqual(texts.sort(), [`1@x ${body}`, '2@x other']);
        assert.deepEqual(skipped, []);
      }
    });
  }

  test('without a name that says so end only at a From line as all programs write it', async () => {
    const { texts } = await read({ Drafts: email(1, 'Hi,\n\nFrom next week on\nMonday: closed') });
    const two = await read({ Drafts: `${email(1, 'one')}\nFrom a@x Thu Jun 13 10:00:00 2024\n${email(2, 'two')}` });

    assert.deepEqual(texts, ['1@x Hi,\n\nFrom next week on\nMonday: closed']);
    assert.deepEqual(two.texts, ['1@x one', '2@x two']);
  });

  test('may be a mbox nevertheless', async () => {
    const from = 'From a@x Thu Jun 13 10:00:00 2024\n';

    const { texts } = await read({ 'a.eml': `${from}${email(1, 'one')}\n${from}${email(2, 'two')}` });

    assert.deepEqual(texts, ['1@x one', '2@x two']);
  });
});

describe('mail of Google Takeout', () => {
  for (const labels of ['Inbox,Sent', '=?UTF-8?Q?Sent,Caf=C3=A9?=', 'Important,\r\n Sent,Opened']) {
    test(`is that of the user if it is labelled as sent: ${JSON.stringify(labels)}`, async () => {
      const { messages } = await read({ 'a.eml': email(1, 'x', `X-Gmail-Labels: ${labels}\n`) });

      assert.equal(messages[0]?.isOwn, true);
    });
  }
});

test('mail that is packed in a way that is not read is named', async () => {
  const { skipped } = await read({ 'a.eml': email(1, 'x'), '2007-June.txt.bz2': 'BZh9', 'old/mail.zip': 'PK' });

  assert.deepEqual(skipped, [
    { why: 'packed', where: '2007-June.txt.bz2' },
    { why: 'packed', where: 'old/mail.zip' },
  ]);
});
