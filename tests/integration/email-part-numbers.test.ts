import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { generateMail, MAIL_SHAPES } from '../support/email/generated-mail.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { fetchAll, sessionOn } from '../support/email/mail-session.ts';

const MAX_BYTES = 1_000_000;

/** Attachments whose content names the part that it is in. */
const NESTED = [
  'Subject: nested',
  ...multipart('mixed', 'a', [
    ['Content-Type: text/plain', '', 'Hello'],
    multipart('mixed', 'b', [
      file('2.1'),
      message(multipart('mixed', 'c', [['', 'Inner'], file('2.2.2'), message(file('2.2.3.1'))])),
      message(file('2.3.1')),
    ]),
    multipart('digest', 'd', [['', 'Subject: one', ...file('3.1.1')]]),
    file('4'),
  ]),
].join('\r\n');

const server = await startMailServer();
after(() => server.stop());

describe('the numbers of attachments', () => {
  test('are those by which the server gives them', async (context) => {
    for (const shape of MAIL_SHAPES) server.deliver('alice', generateMail(1, shape).bytes);
    server.deliver('alice', NESTED);
    const session = await sessionOn(context, server);

    const mails = await fetchAll(session, 'INBOX');

    assert.equal(mails.length, MAIL_SHAPES.length + 1);
    for (const { uid, email } of mails) {
      for (const { part, mime, size } of email.attachments) {
        const downloaded = await session.part('INBOX', uid, part, MAX_BYTES);
        assert.deepEqual([downloaded.mime, downloaded.content.length], [mime, size]);
        if (mime === 'application/x-part') assert.equal(Buffer.from(downloaded.content).toString(), part);
      }
    }
    const nested = mails.find(({ email }) => email.subject === 'nested');
    assert.deepEqual(
      nested?.email.attachments.map(({ part }) => part),
      ['2.1', '2.2', '2.2.2', '2.2.3', '2.2.3.1', '2.3', '2.3.1', '3.1', '3.1.1', '4'],
    );
  });
});

function multipart(subtype: string, boundary: string, parts: readonly (readonly string[])[]): string[] {
  const lines = parts.flatMap((part) => [`--${boundary}`, ...part]);
  return [`Content-Type: multipart/${subtype}; boundary="${boundary}"`, '', ...lines, `--${boundary}--`, ''];
}

function file(content: string): string[] {
  const encoded = Buffer.from(content).toString('base64');
  return ['Content-Type: application/x-part', 'Content-Transfer-Encoding: base64', '', encoded];
}

function message(lines: readonly string[]): string[] {
  return ['Content-Type: message/rfc822', '', 'Subject: attached', ...lines];
}
