import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import type { DraftContent } from '../../mail-connector.ts';
import { buildEmail } from './build.ts';

const draft: DraftContent = {
  rfcMessageId: 'own.1@example.test',
  date: Date.UTC(2026, 10, 17, 9, 30, 5),
  from: { name: 'Alice Miller', address: 'alice@example.test' },
  to: [{ name: 'Miller, Joe', address: 'joe@example.test' }],
  cc: [],
  bcc: [],
  subject: 'Hello',
  text: 'Hi Joe\n',
  references: [],
  attachments: [],
};

test('a plain draft is one text part with the fields of a header in a fixed order', () => {
  const email = text(buildEmail(draft));

  assert.equal(
    email,
    [
      'Date: Tue, 17 Nov 2026 09:30:05 +0000',
      'From: Alice Miller <alice@example.test>',
      'To: "Miller, Joe" <joe@example.test>',
      'Subject: Hello',
      'Message-ID: <own.1@example.test>',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Hi Joe',
      '',
    ].join('\r\n'),
  );
});

test('Bcc is in the header of a draft that names recipients of blind copies, and only there', () => {
  const bcc = [{ name: '', address: 'boss@example.test' }];

  assert.match(text(buildEmail({ ...draft, bcc })), /^Bcc: <boss@example\.test>\r$/m);
  assert.doesNotMatch(text(buildEmail(draft)), /bcc/i);
});

test('HTML, attachments and the chain of a reply are in the email', async () => {
  const pdf = Buffer.from([0, 1, 2, 255]);

  const email = await PostalMime.parse(
    buildEmail({
      ...draft,
      subject: 'Grüße aus 東京',
      html: '<p>Hi <b>Joe</b></p>',
      inReplyTo: 'b@example.test',
      references: ['a@example.test', 'b@example.test'],
      attachments: [{ name: 'Rechnung März.pdf', mime: 'application/pdf', content: pdf }],
    }),
  );

  assert.equal(email.subject, 'Grüße aus 東京');
  assert.equal(email.text?.trim(), 'Hi Joe');
  assert.equal(email.html?.trim(), '<p>Hi <b>Joe</b></p>');
  assert.equal(email.inReplyTo, '<b@example.test>');
  assert.equal(email.references, '<a@example.test> <b@example.test>');
  const [attachment] = email.attachments;
  assert.equal(attachment?.filename, 'Rechnung März.pdf');
  assert.equal(attachment?.mimeType, 'application/pdf');
  assert.deepEqual(Buffer.from(attachment?.content as ArrayBuffer), pdf);
});

test('a draft with another file has another boundary', () => {
  const boundaryWith = (name: string, content: string) => {
    const attachments = [{ name, mime: 'text/plain', content: Buffer.from(content) }];
    return /boundary="(.*)"/.exec(text(buildEmail({ ...draft, attachments })))?.[1];
  };

  const boundaries = [boundaryWith('a', 'one'), boundaryWith('b', 'one'), boundaryWith('a', 'two')];

  assert.equal(new Set(boundaries).size, 3);
  assert.equal(boundaryWith('a', 'one'), boundaries[0]);
});

test('long lines, lines that begin with a dot, and "From " survive', async () => {
  const body = `${'word '.repeat(400)}\n.\n..two\nFrom here on\n${'日本語'.repeat(500)}\n`;

  const email = await PostalMime.parse(buildEmail({ ...draft, text: body }));

  assert.ok(email.text?.replaceAll('\r\n', '\n') === body);
});

test('text in another script is written in base64, which is shorter', () => {
  assert.match(text(buildEmail({ ...draft, text: '日本語'.repeat(100) })), /^Content-Transfer-Encoding: base64\r$/m);
});

test('long file names in another script are split as RFC 2231 says', () => {
  const name = `${'Протокол заседания '.repeat(6)}.docx`;

  const email = text(buildEmail({ ...draft, attachments: [{ name, mime: 'x', content: Buffer.from('a') }] }));

  assert.match(email, /filename\*0\*=utf-8''%D0%9F/);
  assert.match(email, /filename\*1\*=/);
  assert.match(email, /Content-Type: application\/octet-stream/);
});

test('an email inside an email is attached as bytes, because it may not be encoded otherwise', () => {
  const attachments = [{ name: 'mail.eml', mime: 'message/rfc822', content: Buffer.from('Subject: x\r\n\r\ny') }];

  assert.match(
    text(buildEmail({ ...draft, attachments })),
    /Content-Type: application\/octet-stream;\r\n name="mail\.eml"/,
  );
});

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
