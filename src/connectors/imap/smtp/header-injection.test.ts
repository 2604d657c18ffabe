import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import PostalMime, { type Email } from 'postal-mime';
import type { MailAddress } from '../../../domain/email.ts';
import type { DraftContent } from '../../mail-connector.ts';
import { buildEmail } from './build.ts';

/** Texts that try to end a header, to begin another one or the body, or to be decoded to such a text. */
const HOSTILE = [
  'Hello\r\nBcc: thief@evil.test',
  'Hello\nBcc: thief@evil.test',
  'Hello\rBcc: thief@evil.test',
  'Hello\r\n\r\n<script>',
  'Hello\0Bcc: thief@evil.test',
  'Hello\u2028Bcc: thief@evil.test',
  'Hello\u2029Bcc: thief@evil.test',
  'Hello\u0085Bcc: thief@evil.test',
  'Hello\v\fBcc: thief@evil.test',
  '=?utf-8?Q?a=0D=0ABcc:_thief@evil.test?=',
  '=?utf-8?B?YQ0KQmNjOiB0aGllZkBldmlsLnRlc3Q=?=',
  '=?utf-8?Q?a?= =?utf-8?Q?b?=',
  '"quoted" \\ "name" <thief@evil.test>, other@evil.test',
  'name" <thief@evil.test>, "x',
  'group: thief@evil.test;',
  '(comment) name',
  `${'x'.repeat(200)}\r\n ${'y'.repeat(1_200)}`,
  'a;\r\n name="b.exe"; filename="c.exe"',
  "utf-8''a%0d%0ab",
  '\ud800 unpaired',
  'Ünïcödé 日本語 👩‍👩‍👧',
  ' \t ',
];

const textArbitrary = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({
    unit: fc.constantFrom('\r', '\n', '\0', ' ', '=', '?', 'Q', ':', '"', '\\', '<', '@', ';', 'é'),
    maxLength: 60,
  }),
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 4 }).map((parts) => parts.join(' ')),
);
const addressArbitrary = fc.constantFrom(
  'joe@example.test',
  'a.b+c@sub.example.test',
  '"j d"@example.test',
  'jörg@bücher.example',
);
const mailboxArbitrary = fc.record({ name: textArbitrary, address: addressArbitrary });
const idArbitrary = fc.oneof(textArbitrary, fc.constantFrom('a.1@example.test', 'x>\r\nBcc: <thief@evil.test'));

const draftArbitrary: fc.Arbitrary<DraftContent> = fc.record({
  rfcMessageId: fc.constant('own.1@example.test'),
  date: fc.constant(Date.UTC(2026, 10, 17, 9, 30, 5)),
  from: mailboxArbitrary,
  to: fc.array(mailboxArbitrary, { minLength: 1, maxLength: 4 }),
  cc: fc.array(mailboxArbitrary, { maxLength: 3 }),
  bcc: fc.array(mailboxArbitrary, { maxLength: 3 }),
  subject: textArbitrary,
  text: textArbitrary,
  html: fc.constant('<p>Hello</p>'),
  inReplyTo: idArbitrary,
  references: fc.array(idArbitrary, { maxLength: 4 }),
  attachments: fc.array(
    fc.record({ name: textArbitrary, mime: textArbitrary, content: fc.uint8Array({ maxLength: 50 }) }),
    {
      maxLength: 3,
    },
  ),
});

const FIELDS = [
  'bcc',
  'cc',
  'content-type',
  'date',
  'from',
  'in-reply-to',
  'message-id',
  'mime-version',
  'references',
  'subject',
  'to',
];
const TRANSFER = 'content-transfer-encoding';

describe('what is in names, subjects, file names and ids', () => {
  test('never adds, ends or repeats a field of the header', async () => {
    await fc.assert(
      fc.asyncProperty(draftArbitrary, async (draft) => {
        const { headers } = await parse(buildEmail(draft));

        const names = headers.map(({ key }) => key);
        assert.equal(new Set(names).size, names.length);
        assert.deepEqual(
          names.filter((name) => ![...FIELDS, TRANSFER].includes(name)),
          [],
        );
      }),
    );
  });

  test('is read back as it was written, on one line', async () => {
    await fc.assert(
      fc.asyncProperty(draftArbitrary, async (draft) => {
        const email = await parse(buildEmail(draft));

        assert.equal(email.subject ?? '', line(draft.subject, 2_000));
        assert.deepEqual(mailboxes(email.from ? [email.from] : []), mailboxesOf([draft.from]));
        for (const name of ['to', 'cc', 'bcc'] as const) {
          assert.deepEqual(mailboxes(email[name] ?? []), mailboxesOf(draft[name]), name);
        }
        assert.equal(email.messageId, '<own.1@example.test>');
        assert.equal(email.references ?? '', idsOf(draft.references));
        assert.equal(email.inReplyTo ?? '', idsOf([draft.inReplyTo ?? '']));
      }),
    );
  });

  test('leaves text and attachments as they are', async () => {
    await fc.assert(
      fc.asyncProperty(draftArbitrary, async (draft) => {
        const email = await parse(buildEmail(draft));

        assert.equal(trimmed(email.text ?? ''), trimmed(draft.text.toWellFormed()));
        assert.deepEqual(
          email.attachments.map(({ filename }) => filename),
          draft.attachments.map(({ name }) => line(name, 200).replaceAll(/[/\\?*:|"<>]/g, '_') || 'attachment'),
        );
        assert.deepEqual(
          email.attachments.map(({ content }) => (typeof content === 'string' ? content : new Uint8Array(content))),
          draft.attachments.map(({ content }) => content),
        );
      }),
    );
  });

  test('makes no line that is longer than a server takes, and no line break but CRLF', () => {
    fc.assert(
      fc.property(draftArbitrary, (draft) => {
        const text = Buffer.from(buildEmail(draft)).toString('utf8');

        assert.doesNotMatch(text.replaceAll('\r\n', ''), /[\r\n\0]/);
        assert.ok(text.split('\r\n').every((each) => Buffer.byteLength(each) <= 998));
      }),
    );
  });

  test('makes no email where an address or the own id is not one', () => {
    const draft: DraftContent = {
      rfcMessageId: 'own.1@example.test',
      date: 0,
      from: { name: '', address: 'alice@example.test' },
      to: [{ name: '', address: 'joe@example.test' }],
      cc: [],
      bcc: [],
      subject: '',
      text: '',
      references: [],
      attachments: [],
    };
    const wrong = [
      '',
      'joe',
      'joe@',
      '@example.test',
      'joe@example.test\r\nBcc: x@evil.test',
      'a@b>, <c@d',
      'a b@example.test',
    ];

    for (const address of wrong) {
      for (const field of ['to', 'cc', 'bcc'] as const) {
        assert.throws(() => buildEmail({ ...draft, [field]: [{ name: '', address }] }), /not valid/, address);
      }
      assert.throws(() => buildEmail({ ...draft, from: { name: '', address } }), /not valid/, address);
    }
    for (const rfcMessageId of ['', 'a b', 'a>\r\nX: y', 'a\0b']) {
      assert.throws(() => buildEmail({ ...draft, rfcMessageId }), /not valid/);
    }
  });
});

function parse(bytes: Uint8Array): Promise<Email> {
  return PostalMime.parse(bytes, { forceRfc822Attachments: true });
}

function line(text: string, max: number): string {
  return text
    .replaceAll(/[\p{Cc}\u2028\u2029\s]/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed()
    .trim();
}

function mailboxesOf(list: readonly MailAddress[]): MailAddress[] {
  return list.map(({ name, address }) => ({ name: line(name, 250), address }));
}

function mailboxes(list: NonNullable<Email['to']>): MailAddress[] {
  return list.map(({ name, address = '' }) => ({ name, address }));
}

function idsOf(ids: readonly string[]): string {
  return ids
    .filter((id) => /^[!-;=?-~]{1,250}$/.test(id) && !id.includes('=?'))
    .map((id) => `<${id}>`)
    .join(' ');
}

/** Parsers drop line breaks at the end of a part, and write the others in their own way. */
function trimmed(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replace(/\s+$/, '');
}
