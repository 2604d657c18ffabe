import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import PostalMime from 'postal-mime';
import { generateMail, MAIL_SHAPES } from '../../../tests/support/email/generated-mail.ts';
import { htmlToText } from '../../lib/html-text.ts';
import { parseEmail } from './parse-email.ts';

describe('an ordinary email', () => {
  for (const shape of MAIL_SHAPES) {
    test(`is read as postal-mime reads it: ${shape}`, async () => {
      for (let seed = 0; seed < 20; seed++) {
        const mail = generateMail(seed, shape);

        const ours = parseEmail(mail.bytes);
        const theirs = await PostalMime.parse(mail.bytes, { forceRfc822Attachments: true });

        // The line breaks of an attached email are changed there.
        const files = theirs.attachments.filter(({ mimeType }) => mimeType !== 'application/pgp-signature');
        const text =
          shape === 'html' ? htmlToText(theirs.html ?? '') : (theirs.text ?? '').replaceAll('\r\n', '\n').trim();
        assert.equal(ours.text, text);
        assert.deepEqual(
          ours.attachments.map(({ name, mime, size }) => [name, mime, shape === 'forwarded' || size]),
          files.map(({ filename, mimeType, content }) => [
            filename,
            mimeType,
            shape === 'forwarded' || sizeOf(content),
          ]),
        );
        assert.equal(ours.subject, theirs.subject);
        assert.deepEqual(
          ours.from,
          [theirs.from].map((from) => ({ name: from?.name, address: from?.address })),
        );
        assert.deepEqual(
          ours.to,
          theirs.to?.map(({ name, address }) => ({ name, address })),
        );
        assert.equal(`<${ours.rfcMessageId}>`, theirs.messageId);
        assert.equal(new Date(ours.date ?? 0).toISOString(), theirs.date);
        assert.deepEqual(ours.problems, []);
      }
    });

    test(`is read as it was written: ${shape}`, () => {
      for (let seed = 0; seed < 20; seed++) {
        const mail = generateMail(seed, shape);

        const { subject, text, attachments } = parseEmail(mail.bytes);

        assert.deepEqual(
          [subject, withoutBreaks(text), attachments.map(({ name }) => name)],
          [mail.subject, withoutBreaks(mail.text), mail.attachments],
        );
      }
    });
  }
});

function sizeOf(content: ArrayBuffer | Uint8Array | string): number {
  return typeof content === 'string' ? content.length : content.byteLength;
}

function withoutBreaks(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('€', 'E');
}
