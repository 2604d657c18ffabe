import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { imap } from '../../src/connectors/imap/index.ts';
import type { ParsedEmail } from '../../src/domain/email.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { fetchAll, mailText, sessionOn } from '../support/email/mail-session.ts';

/** Larger than what is fetched of an email. */
const LARGE = Buffer.alloc(400_000, 'attachment ').toString('base64').replaceAll(/.{76}/g, '$&\r\n');

function part(header: readonly string[], content: string): string {
  return `${header.join('\r\n')}\r\n\r\n${content}`;
}

function multipart(kind: string, boundary: string, parts: readonly string[], header: readonly string[] = []): string {
  const body = parts.map((each) => `--${boundary}\r\n${each}\r\n`).join('');
  return part([...header, `Content-Type: multipart/${kind}; boundary="${boundary}"`], `${body}--${boundary}--\r\n`);
}

const HEADER = ['From: Bob <bob@example.test>', 'Subject: =?utf-8?Q?Gr=C3=B6=C3=9Fe?=', 'Message-ID: <large@test>'];
const FILE = part(
  [
    'Content-Type: application/zip; name="a b.zip"',
    'Content-Transfer-Encoding: base64',
    'Content-Disposition: attachment',
  ],
  LARGE,
);
const PLAIN = part(
  ['Content-Type: text/plain; charset=iso-8859-1', 'Content-Transfer-Encoding: quoted-printable'],
  'Gr=FC=DFe',
);
const HTML = part(['Content-Type: text/html; charset=utf-8'], '<p>Grüße <b>an alle</b></p>');
const IMAGE = part(
  [
    'Content-Type: image/png',
    'Content-ID: <logo@test>',
    "Content-Disposition: inline; filename*=utf-8''Gr%C3%B6%C3%9Fe%20%22x%22.png",
    'Content-Transfer-Encoding: base64',
  ],
  'iVBORw0KGgo=',
);
const EMBEDDED = part(
  ['Content-Type: message/rfc822'],
  multipart('mixed', 'inner', [PLAIN, FILE], ['Subject: =?utf-8?Q?Weiter=C3=A4?=', 'From: c@example.test']),
);

const EMAILS: Readonly<Record<string, string>> = {
  'the text after the attachment': multipart('mixed', 'b', [FILE, PLAIN], HEADER),
  'the text before the attachment': multipart('mixed', 'b', [PLAIN, FILE, IMAGE], HEADER),
  'alternatives with images after the attachment': multipart(
    'mixed',
    'outer b',
    [FILE, multipart('related', 'rel', [multipart('alternative', 'alt', [PLAIN, HTML]), IMAGE])],
    HEADER,
  ),
  'an attached email': multipart('mixed', 'b', [PLAIN, EMBEDDED], HEADER),
  'an attached email that is one text': multipart(
    'mixed',
    'b',
    [FILE, part(['Content-Type: message/rfc822'], mailText('inner')), PLAIN],
    HEADER,
  ),
  'one attachment without a text': part(
    [...HEADER, 'Content-Type: application/pdf; name=one.pdf', 'Content-Transfer-Encoding: base64'],
    LARGE,
  ),
  'HTML only, after the attachment': multipart('mixed', 'b', [FILE, HTML], HEADER),
};

describe('of a large email everything but the attachments is read', async () => {
  const server = await startMailServer({ users: ['alice', 'bob', 'carol'] });
  after(() => server.stop());

  test('wherever the text is, as if it had been fetched as a whole', async (context) => {
    for (const raw of Object.values(EMAILS)) server.deliver('alice', raw);
    const session = await sessionOn(context, server);

    const mails = await fetchAll(session, 'INBOX');

    assert.equal(mails.length, Object.keys(EMAILS).length);
    for (const [index, [name, raw]] of Object.entries(EMAILS).entries()) {
      const whole = withoutSizes(imap.parse(Buffer.from(raw)));
      assert.deepEqual(mails[index]?.email, whole, name);
      assert.equal(mails[index]?.contentHash, imap.contentHash(Buffer.from(raw)), name);
      assert.ok(whole.attachments.length > 0, name);
    }
  });

  test('in the order of UIDs, with small ones between', async (context) => {
    const large = EMAILS['the text after the attachment'] ?? '';
    for (const raw of [mailText('1'), large, mailText('3'), large, mailText('5')]) server.deliver('bob', raw);
    const session = await sessionOn(context, server, { user: 'bob' });

    const mails = await fetchAll(session, 'INBOX');

    assert.deepEqual(
      mails.map(({ uid, email }) => `${uid} ${email.subject} ${email.text}`),
      ['1 1 Text', '2 Größe Grüße', '3 3 Text', '4 Größe Grüße', '5 5 Text'],
    );
  });

  test('and a text that is too long itself is cut, and says so', async (context) => {
    server.deliver('carol', mailText('long', { body: 'word '.repeat(200_000) }));
    const session = await sessionOn(context, server, { user: 'carol' });

    const [mail] = await fetchAll(session, 'INBOX');

    assert.match(mail?.email.text ?? '', /^word word/);
    assert.equal(mail?.email.problems.length, 1);
    assert.equal(mail?.size, mailText('long', { body: 'word '.repeat(200_000) }).length);
  });
});

function withoutSizes(email: ParsedEmail): ParsedEmail {
  return { ...email, attachments: email.attachments.map(({ size: _, ...attachment }) => attachment) };
}
