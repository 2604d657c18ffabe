import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forwardHeader, withForwarded } from './forward.ts';
import { type OriginalEmail, replyHeader, withQuote } from './reply.ts';

const [alice, bob, carol, dave] = ['alice', 'bob', 'carol', 'dave'].map((name) => ({
  name: name.toUpperCase(),
  address: `${name}@example.org`,
}));
assert.ok(alice && bob && carol && dave);

const original: OriginalEmail = {
  rfcMessageId: 'm3@example.org',
  inReplyTo: 'm2@example.org',
  references: ['m1@example.org', 'm2@example.org'],
  subject: 'Offer',
  from: [bob],
  replyTo: [],
  to: [alice, carol],
  cc: [dave],
  isCut: false,
  isAutomatic: false,
  at: Date.UTC(2026, 10, 17, 9, 30, 5),
  text: 'Hello,\n\nsee below.\n\n> older\n>> oldest',
};
const own = ['alice@example.org', 'a.miller@example.net'];

describe('a reply', () => {
  test('goes to the sender, in the thread of the original [EMAIL-15]', () => {
    assert.deepEqual(replyHeader(original, { all: false, own }), {
      to: [bob],
      cc: [],
      bcc: [],
      subject: 'Re: Offer',
      inReplyTo: 'm3@example.org',
      references: ['m1@example.org', 'm2@example.org', 'm3@example.org'],
      warnings: [],
    });
  });

  test('to all leaves out what is no address, and says so', () => {
    const header = replyHeader(
      {
        ...original,
        to: [{ name: 'Undisclosed Recipients', address: '' }, carol, { name: '', address: 'broken@' }],
        cc: [{ name: '', address: '' }],
      },
      { all: true, own },
    );

    assert.deepEqual([header.to, header.cc], [[bob, carol], []]);
    assert.deepEqual(header.warnings, [
      'Recipients of the email without a valid address are left out: "Undisclosed Recipients", "broken@".',
    ]);
  });

  test('to an email whose sender has no address is a draft without recipients, and says so', () => {
    const daemon = { name: 'MAILER-DAEMON', address: '' };

    const header = replyHeader({ ...original, from: [daemon], replyTo: [daemon] }, { all: false, own });

    assert.deepEqual(header.to, []);
    assert.deepEqual(header.warnings, ['The email names no address that can be answered: give the draft recipients.']);
  });

  test('goes to the sender if there is no address in Reply-To', () => {
    const replyTo = [{ name: 'Support', address: '' }];

    assert.deepEqual(replyHeader({ ...original, replyTo }, { all: false, own }).to, [bob]);
  });

  test('goes to the address that the sender wants answers at', () => {
    const { to } = replyHeader({ ...original, replyTo: [dave] }, { all: false, own });

    assert.deepEqual(to, [dave]);
  });

  test('to all goes to all recipients but the own addresses and aliases [EMAIL-16]', () => {
    const email = {
      ...original,
      to: [
        { name: 'Alice Miller', address: 'ALICE@example.org' },
        carol,
        { name: '', address: 'a.miller+shop@EXAMPLE.net' },
      ],
      cc: [dave, { name: 'again', address: 'carol@example.org' }, bob],
    };

    const { to, cc } = replyHeader(email, { all: true, own });

    assert.deepEqual([to, cc], [[bob, carol], [dave]]);
  });

  test('to all leaves out every address of a domain that is the own one', () => {
    const { to, cc } = replyHeader(original, { all: true, own: ['alice@example.org', '*@EXAMPLE.org'] });

    assert.deepEqual([to, cc], [[alice, carol], []]);
  });

  test('to the own email goes on with its recipients', () => {
    const email = { ...original, from: [alice], to: [bob], cc: [carol, alice] };

    assert.deepEqual(replyHeader(email, { all: false, own }).to, [bob]);
    const { to, cc } = replyHeader(email, { all: true, own });
    assert.deepEqual([to, cc], [[bob], [carol]]);
  });

  test('always has a recipient, also if there is none but oneself', () => {
    const toSelf = { ...original, from: [alice], to: [alice], cc: [] };

    assert.deepEqual(replyHeader(toSelf, { all: true, own }).to, [alice]);
    assert.deepEqual(replyHeader({ ...toSelf, to: [], cc: [bob] }, { all: true, own }).to, [bob]);
    assert.deepEqual(replyHeader({ ...toSelf, to: [] }, { all: false, own }).to, [alice]);
  });

  test('goes to the list of the original only if it goes to all', () => {
    const list = { name: 'List', address: 'list@example.org' };
    const email = { ...original, isAutomatic: true, replyTo: [list], to: [list], cc: [] };

    assert.deepEqual(replyHeader(email, { all: false, own }).to, [bob]);
    assert.deepEqual(replyHeader(email, { all: true, own }).to, [list]);
  });

  test('says "Re:" once, whatever the prefixes of the original are', () => {
    const subjects = [
      'Offer',
      'Re: Offer',
      'RE: re: Offer',
      'AW: WG: Offer',
      'Re[2]: Offer',
      'Fwd: Re: Offer',
      '回复：Offer',
      'SV : Offer',
      'Odp: Offer',
    ];

    for (const subject of subjects) {
      assert.equal(replyHeader({ ...original, subject }, { all: false, own }).subject, 'Re: Offer', subject);
    }
    assert.equal(replyHeader({ ...original, subject: '' }, { all: false, own }).subject, 'Re:');
    assert.equal(
      replyHeader({ ...original, subject: 'Regarding: x' }, { all: false, own }).subject,
      'Re: Regarding: x',
    );
  });

  test('keeps the beginning and the end of a long chain of references', () => {
    const references = Array.from({ length: 300 }, (_, index) => `r${index}@example.org`);

    const header = replyHeader({ ...original, references }, { all: false, own });

    assert.equal(header.references.length, 50);
    assert.deepEqual(
      [header.references[0], header.references.at(-2), header.references.at(-1)],
      ['r0@example.org', 'r299@example.org', 'm3@example.org'],
    );
  });

  test('refers to the parent of an original without references, and to nothing without ids', () => {
    const { rfcMessageId: _, inReplyTo: __, ...nameless } = { ...original, references: [] };

    assert.deepEqual(replyHeader({ ...original, references: [] }, { all: false, own }).references, [
      'm2@example.org',
      'm3@example.org',
    ]);
    const header = replyHeader(nameless, { all: false, own });
    assert.deepEqual([header.inReplyTo, header.references], [undefined, []]);
  });

  test('quotes the original below its text, but not what is quoted in it several times', () => {
    const { text, html } = withQuote({ text: 'Yes.\n', html: '<p>Yes.</p>\n' }, original);

    assert.equal(
      text,
      'Yes.\n\nOn 2026-11-17 09:30 UTC, BOB <bob@example.org> wrote:\n> Hello,\n>\n> see below.\n>\n>> older\n>> […]\n',
    );
    assert.equal(
      html,
      '<p>Yes.</p>\n<p>On 2026-11-17 09:30 UTC, BOB &lt;bob@example.org&gt; wrote:</p>\n<blockquote>Hello,<br>\n<br>\nsee below.<br>\n<br>\n&gt; older<br>\n&gt; […]</blockquote>\n',
    );
  });

  test('to a reply to a reply does not grow without end', () => {
    let text = 'x'.repeat(100_000);
    const lengths = [];
    for (let round = 0; round < 20; round++) {
      text = withQuote({ text: `Answer ${round}` }, { ...original, text }).text;
      lengths.push(text.length);
    }

    assert.ok(Math.max(...lengths) < 70_000, String(lengths));
    assert.ok((lengths.at(-1) ?? 0) < 1_000, String(lengths));
  });

  test('shows a name with line breaks on one line', () => {
    const { text } = withQuote(
      { text: 'Yes.' },
      { ...original, from: [{ name: 'Bob\r\nwrote:\n> lies', address: 'bob@example.org' }] },
    );

    assert.match(text, /^On .*, "Bob wrote: > lies" <bob@example\.org> wrote:$/m);
  });
});

describe('a forwarded email', () => {
  test('has the header and the text of the original', () => {
    const { text, html } = withForwarded({ text: 'FYI', html: '<p>FYI</p>\n' }, { ...original, text: 'a <b>\nc' });

    assert.equal(
      text,
      [
        'FYI',
        '',
        '---------- Forwarded message ----------',
        'From: BOB <bob@example.org>',
        'Date: 2026-11-17 09:30 UTC',
        'Subject: Offer',
        'To: ALICE <alice@example.org>, CAROL <carol@example.org>',
        'Cc: DAVE <dave@example.org>',
        '',
        'a <b>',
        'c',
        '',
      ].join('\n'),
    );
    assert.match(html ?? '', /a &lt;b&gt;<br>\nc/);
  });

  test('says "Fwd:" once and stays in the thread of the original', () => {
    assert.deepEqual(forwardHeader({ ...original, subject: 'WG: Offer' }), {
      subject: 'Fwd: Offer',
      references: ['m1@example.org', 'm2@example.org', 'm3@example.org'],
    });
  });

  test('needs no text of its own', () => {
    assert.match(withForwarded({ text: ' \n' }, original).text, /^---------- Forwarded/);
  });
});
