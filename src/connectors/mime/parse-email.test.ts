import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseEmail } from './parse-email.ts';
import { PROBLEMS } from './problems.ts';

function parse(lines: readonly string[], how?: { isTruncated?: boolean }) {
  return parseEmail(Buffer.from(lines.join('\r\n'), 'latin1'), how);
}

function multipart(subtype: string, boundary: string, parts: readonly (readonly string[])[]): string[] {
  return [
    `Content-Type: multipart/${subtype}; boundary="${boundary}"`,
    '',
    ...parts.flatMap((part) => [`--${boundary}`, ...part]),
    `--${boundary}--`,
    '',
  ];
}

const PLAIN = ['Content-Type: text/plain', '', 'Hello'];
const HTML = ['Content-Type: text/html', '', '<p>Hello <b>you</b></p>'];
const PDF = ['Content-Type: application/pdf; name="a.pdf"', 'Content-Transfer-Encoding: base64', '', 'YWJj', 'ZGU='];

describe('the headers of an email', () => {
  test('are read', () => {
    const email = parse([
      'Received: from x by mx.example.test id 1',
      'Authentication-Results: mx.example.test; spf=pass',
      'Message-ID: <1@example.test> (comment)',
      'In-Reply-To: "Bob" <0@example.test>',
      'References: <first@example.test>',
      '\t<0@example.test>',
      'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
      '  from  here',
      'From: "Liddell, Alice" <Alice@Example.test>',
      'Reply-To: list@example.test',
      'To: bob@example.test,',
      ' carol@example.test',
      'Cc: dave@example.test',
      'Bcc: erin@example.test',
      'Date: Mon, 2 Mar 2026 10:00:00 +0100',
      '',
      'Text',
    ]);

    assert.deepEqual(email, {
      rfcMessageId: '1@example.test',
      inReplyTo: '0@example.test',
      references: ['first@example.test', '0@example.test'],
      subject: 'Grüße from here',
      from: [{ name: 'Liddell, Alice', address: 'alice@example.test' }],
      replyTo: [{ name: '', address: 'list@example.test' }],
      to: [
        { name: '', address: 'bob@example.test' },
        { name: '', address: 'carol@example.test' },
      ],
      cc: [{ name: '', address: 'dave@example.test' }],
      bcc: [{ name: '', address: 'erin@example.test' }],
      date: Date.UTC(2026, 2, 2, 9),
      text: 'Text',
      attachments: [],
      authentication: { spf: 'pass' },
      isAutomatic: false,
      problems: [],
    });
  });

  test('may be missing', () => {
    const email = parse(['X-Other: 1', '', 'Text']);

    assert.deepEqual([email.subject, email.from, email.references, email.date], ['', [], [], undefined]);
    assert.equal(email.rfcMessageId, undefined);
  });

  test('are read from all headers with a name for addresses, and from the first one for the subject', () => {
    const email = parse(['From: a@x.test', 'From: b@y.test', 'Subject: one', 'Subject: two', '', '']);

    assert.deepEqual(
      email.from.map(({ address }) => address),
      ['a@x.test', 'b@y.test'],
    );
    assert.equal(email.subject, 'one');
  });

  test('may have line feeds alone, an mbox line and junk', () => {
    const email = parseEmail(Buffer.from('From alice Mon Mar  2 10:00:00 2026\njunk\nSubject : x\n\nText\n'));

    assert.deepEqual([email.subject, email.text], ['x', 'Text']);
  });

  test('say whether a program wrote it', () => {
    const automatic = [
      'Auto-Submitted: auto-replied',
      'Precedence: bulk',
      'List-Id: <a.test>',
      'List-Unsubscribe: <x>',
    ];

    assert.deepEqual(
      ['Auto-Submitted: no', 'Precedence: first-class', ...automatic].map(
        (header) => parse([header, '', '']).isAutomatic,
      ),
      [false, false, true, true, true, true],
    );
  });
});

describe('the text of an email', () => {
  const texts: Record<string, [lines: string[], text: string]> = {
    'without headers': [['Hello', 'Bob'], 'Hello\nBob'],
    'without a blank line': [['Subject: x', 'Hello'], 'Hello'],
    'in HTML': [HTML, 'Hello you'],
    'in HTML with its own character set': [['Content-Type: text/html', '', '<meta charset="koi8-r"><p>\xf0</p>'], 'П'],
    'in HTML that is called plain': [
      ['Content-Type: text/plain', '', '<html><body>Hi &amp; bye</body></html>'],
      'Hi & bye',
    ],
    'that is encoded': [
      [
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'caf=E9=',
        '!',
      ],
      'café!',
    ],
    'with NULs': [['Content-Type: text/plain', '', 'a\0b'], 'ab'],
    'that is flowed': [['Content-Type: text/plain; format=flowed; delsp=yes', '', 'a ', 'b'], 'ab'],
    'of a type without a subtype': [['Content-Type: text', '', 'Hello'], 'Hello'],
    'of a type that is none': [['Content-Type: mail', '', 'Hello'], 'Hello'],
    'in two forms': [multipart('alternative', 'b', [PLAIN, HTML]), 'Hello'],
    'in two forms, one of them empty': [multipart('alternative', 'b', [['', ' '], HTML]), 'Hello you'],
    'in two forms, one of them a remark': [
      multipart('alternative', 'b', [['', 'Please view this email in an HTML-compatible mail program.'], HTML]),
      'Hello you',
    ],
    'in two forms, both empty': [
      multipart('alternative', 'b', [
        ['', 'Your program cannot display HTML'],
        ['', ''],
      ]),
      'Your program cannot display HTML',
    ],
    'in a form with images': [
      multipart('alternative', 'a', [
        ['', ''],
        multipart('related', 'b', [HTML, ['Content-Type: image/png', '', 'x']]),
      ]),
      'Hello you',
    ],
    'with a footer': [multipart('mixed', 'b', [PLAIN, PDF, ['', '-- ', 'the list']]), 'Hello\n\n-- \nthe list'],
    'that is signed': [
      multipart('signed', 'b', [PLAIN, ['Content-Type: application/pgp-signature', '', 'x']]),
      'Hello',
    ],
    'of an invitation': [
      multipart('alternative', 'b', [['Content-Type: text/calendar', '', 'BEGIN:VEVENT', 'SUMMARY:Lunch']]),
      'Event: Lunch',
    ],
    'beside an invitation': [
      multipart('alternative', 'b', [PLAIN, HTML, ['Content-Type: text/calendar', '', 'BEGIN:VEVENT']]),
      'Hello',
    ],
    'of a digest': [multipart('digest', 'b', [['', 'Subject: one', '', 'text']]), ''],
    'with blank lines around it': [['', '', '  Hello  ', '', ''], 'Hello'],
    'with a boundary that another begins with': [
      multipart('mixed', 'b', [multipart('mixed', 'bb', [PLAIN]), ['', 'Bye']]),
      'Hello\n\nBye',
    ],
  };
  for (const [name, [lines, text]] of Object.entries(texts)) {
    test(`${name} is read`, () => {
      assert.equal(parse(lines).text, text);
    });
  }
});

describe('the attachments of an email', () => {
  test('have numbers as in IMAP, names and sizes', () => {
    const inner = ['Subject: Inner', ...multipart('mixed', 'i', [PLAIN, PDF])];
    const email = parse(
      multipart('mixed', 'o', [
        multipart('related', 'r', [HTML, ['Content-Type: image/png', 'Content-ID: <x>', '', 'png']]),
        ['Content-Type: message/rfc822', '', ...inner],
        ['Content-Disposition: attachment; filename=notes.txt', '', 'a note'],
        ['Content-Type: text/csv; name=b.csv', '', '1,2'],
        ['Content-Type: message/rfc822', '', 'Subject: Single', 'Content-Type: application/zip', '', 'zip'],
        ['Content-Type: message/rfc822', 'Content-Transfer-Encoding: base64', '', 'YWJj'],
        ['Content-Type: text/calendar', '', 'BEGIN:VEVENT'],
      ]),
    );

    assert.deepEqual(
      email.attachments.map(({ part, name, mime, size, isInline }) => [part, name, mime, size, isInline]),
      [
        ['1.2', undefined, 'image/png', 3, true],
        ['2', 'Inner.eml', 'message/rfc822', inner.join('\r\n').length, false],
        ['2.2', 'a.pdf', 'application/pdf', 5, false],
        ['3', 'notes.txt', 'text/plain', 6, false],
        ['4', 'b.csv', 'text/csv', 3, false],
        ['5', 'Single.eml', 'message/rfc822', 53, false],
        ['5.1', undefined, 'application/zip', 3, false],
        ['6', 'message.eml', 'message/rfc822', 3, false],
        ['7', 'invite.ics', 'text/calendar', 12, false],
      ],
    );
    assert.equal(email.text, 'Hello you');
    assert.equal(email.attachments[0]?.type, 'image');
  });

  test('may be the whole email', () => {
    const { attachments, text } = parse([
      'Content-Type: application/pdf',
      'Content-Transfer-Encoding: base64',
      '',
      'YWJj',
    ]);

    assert.deepEqual(attachments, [{ part: '1', mime: 'application/pdf', type: 'file', size: 3, isInline: false }]);
    assert.equal(text, '');
  });

  test('are texts with a name after another text, and not other forms of the text', () => {
    const email = parse(
      multipart('mixed', 'b', [
        PLAIN,
        ['Content-Type: text/plain; name=log.txt', 'Content-Disposition: inline', '', 'log'],
        ['Content-Type: text/x-amp-html', '', '<html>'],
      ]),
    );

    assert.deepEqual([email.text, email.attachments.map(({ name }) => name)], ['Hello', ['log.txt']]);
  });

  test('shown in the text are images with an id', () => {
    const image = (disposition: string) => [
      'Content-Type: image/png',
      'Content-ID: <a>',
      `Content-Disposition: ${disposition}`,
      '',
      'x',
    ];
    const email = parse(multipart('mixed', 'b', [PLAIN, image('inline'), image('attachment')]));

    assert.deepEqual(
      email.attachments.map(({ isInline }) => isInline),
      [true, false],
    );
  });
});

describe('what is wrong with an email', () => {
  const emails: Record<keyof typeof PROBLEMS, readonly string[]> = {
    empty: [],
    truncated: ['', 'never'],
    unended: ['Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'Hello'],
    noBoundary: ['Content-Type: multipart/mixed; boundary=b', '', 'Hello'],
    tooDeep: nested(40),
    tooManyParts: multipart(
      'mixed',
      'b',
      Array.from({ length: 1_001 }, () => ['', 'x']),
    ),
    tooManyAttachments: multipart(
      'mixed',
      'b',
      Array.from({ length: 501 }, () => ['Content-Type: a/b', '', 'x']),
    ),
    longHeaders: [`X-Long: ${'x'.repeat(200_000)}`, '', 'Hello'],
    manyAddresses: [`To: ${'a@b.test,'.repeat(1_001)}`, '', 'Hello'],
    longText: ['', 'x'.repeat(1_000_001)],
    unknownCharset: ['Content-Type: text/plain; charset=klingon', '', 'Hello'],
    undecoded: ['Content-Type: text/plain; charset=utf-8', '', 'caf\xc3\xa9 \xe9!'],
    unknownEncoding: ['Content-Transfer-Encoding: zip', '', 'Hello'],
    noText: ['Content-Type: text/html', '', '<img src="https://track.test/1.gif">'],
    encrypted: multipart('encrypted', 'b', [['Content-Type: application/octet-stream', '', 'x']]),
    signedContainer: ['Content-Type: application/pkcs7-mime; smime-type=signed-data', '', 'x'],
    tnef: multipart('mixed', 'b', [PLAIN, ['Content-Type: application/ms-tnef', '', 'x']]),
  };
  for (const [problem, lines] of Object.entries(emails)) {
    test(`is told: ${problem}`, () => {
      const { problems } = parse(lines, { isTruncated: problem === 'truncated' });

      assert.deepEqual(problems, [PROBLEMS[problem as keyof typeof PROBLEMS]]);
    });
  }

  test('is told of text and files that are encrypted', () => {
    const [inline, smime] = [
      ['', '-----BEGIN PGP MESSAGE-----'],
      ['Content-Type: application/pkcs7-mime', '', 'x'],
    ];

    assert.deepEqual(parse(inline).problems, [PROBLEMS.encrypted]);
    assert.deepEqual(parse(smime).problems, [PROBLEMS.encrypted]);
  });

  test('leaves what can be read', () => {
    assert.equal(parse(emails.unended).text, 'Hello');
    assert.equal(parse(emails.noBoundary).text, 'Hello');
    assert.equal(parse(emails.longHeaders).text, 'Hello');
    assert.equal(parse(emails.longText).text.length, 1_000_000);
    assert.equal(
      parse(['Content-Type: multipart/mixed', '', '--x', 'Content-Type: text/plain', '', 'Hello', '--x--']).text,
      'Hello',
    );
  });

  test('is not told of the last part of an email that was not fetched as a whole', () => {
    const lines = multipart('mixed', 'b', [PLAIN, PDF, PDF]).slice(0, -3);

    const { attachments, problems } = parse(lines, { isTruncated: true });

    assert.deepEqual(
      attachments.map(({ part, size }) => [part, size]),
      [
        ['2', 5],
        ['3', undefined],
      ],
    );
    assert.deepEqual(problems, [PROBLEMS.truncated]);
  });
});

function nested(depth: number): string[] {
  return depth === 0 ? PLAIN : multipart('mixed', `b${depth}`, [nested(depth - 1)]);
}
