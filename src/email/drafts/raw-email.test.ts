import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { digestOf, fieldOf, withContentOf, withFields, withoutOwnFields } from './raw-email.ts';

const RAW =
  'From: a@example.org\r\nBcc: b@example.org,\r\n c@example.org\r\nSubject: x\r\nbcc : d@example.org\r\n\r\nBcc: text\r\n';

test('a field is removed with its folded lines and its repetitions, and only from the header', () => {
  const text = withFields(Buffer.from(RAW), { Bcc: undefined }).toString();

  assert.equal(text, 'From: a@example.org\r\nSubject: x\r\n\r\nBcc: text\r\n');
});

test('a field is replaced in its place, or added at the end', () => {
  const text = withFields(Buffer.from(RAW), { Subject: 'Subject: y', Date: 'Date: now', Bcc: undefined }).toString();

  assert.equal(text, 'From: a@example.org\r\nSubject: y\r\nDate: now\r\n\r\nBcc: text\r\n');
});

test('emails with other line ends, without a body or without a header are read too', () => {
  assert.equal(withFields(Buffer.from('A: 1\nBcc: x\n\nbody\n'), { Bcc: undefined }).toString(), 'A: 1\r\n\nbody\n');
  assert.equal(withFields(Buffer.from('A: 1\r\nBcc: x'), { Bcc: undefined }).toString(), 'A: 1\r\n');
  assert.equal(withFields(Buffer.from('\r\nbody'), { Bcc: undefined }).toString(), '\r\nbody');
  assert.equal(fieldOf(Buffer.from(RAW), 'bcc'), 'Bcc: b@example.org,\r\n c@example.org');
  assert.equal(fieldOf(Buffer.from(RAW), 'Date'), undefined);
});

test('the header is that of one email, the text with its headers that of another', () => {
  const other =
    'To: x@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n boundary=a\r\n\r\n--a--\r\n';
  const raw = RAW.replace('Subject:', 'content-type: text/html\r\nSubject:');

  const text = withContentOf(Buffer.from(raw), Buffer.from(other)).toString();

  const [header] = RAW.split('\r\n\r\n');
  assert.equal(text, `${header}\r\n${other.slice(other.indexOf('MIME'))}`);
});

test('what only the program of the writer needs is removed', () => {
  const raw = 'Fcc: imap://a\r\nX-Mozilla-Draft-Info: x\r\n y\r\nSubject: x\r\nX-Priority: 1\r\n\r\nFcc: text\r\n';

  const text = withoutOwnFields(Buffer.from(RAW.replace('From:', 'X-Unsent: 1\r\nFrom:'))).toString();

  assert.equal(text, 'From: a@example.org\r\nSubject: x\r\n\r\nBcc: text\r\n');
  assert.equal(withoutOwnFields(Buffer.from(raw)).toString(), 'Subject: x\r\nX-Priority: 1\r\n\r\nFcc: text\r\n');
});

test('what marks a draft of other programs is removed', () => {
  const marks = [
    'X-Uniform-Type-Identifier: com.apple.mail-draft',
    'X-Draft-Info: type=reply; uid=1',
    'X-IMP-Draft: Yes',
  ];
  const others = ['Gcc: nnimap:Sent', 'X-Mutt-Fcc: =sent', 'X-Draft-From: ("INBOX" 1)'];
  const kept = ['Subject: x', 'X-Mailer: y', 'Xcc: z'];

  const text = withoutOwnFields(Buffer.from([...marks, ...kept, ...others, '', 'text'].join('\r\n'))).toString();

  assert.equal(text, [...kept, '', 'text'].join('\r\n'));
});

test('the digest changes with everything but the date', () => {
  const dated = (date: string, body = 'x') => Buffer.from(`Date: ${date}\r\nA: 1\r\n\r\n${body}`);

  assert.equal(digestOf(dated('Monday')), digestOf(dated('Tuesday')));
  assert.notEqual(digestOf(dated('Monday')), digestOf(dated('Monday', 'y')));
  assert.notEqual(digestOf(dated('Monday')), digestOf(dated('Monday\r\nBcc: x@example.org')));
});

test('no Bcc is left in any header, and no byte of the body is changed', () => {
  const line = fc.constantFrom(
    'Bcc: a@b.test',
    ' folded',
    '\tfolded',
    'BCC:x',
    'Subject: Bcc: y',
    'bcc\t: z',
    'X',
    ': q',
    'Ünïcode: ö',
  );
  const ending = fc.constantFrom('\r\n', '\n');
  fc.assert(
    fc.property(fc.array(line), ending, fc.uint8Array(), (lines, end, body) => {
      const header = `X: 1${end}${lines.map((each) => `${each}${end}`).join('')}`;
      const raw = Buffer.concat([Buffer.from(header), Buffer.from(end), body]);

      const result = withFields(raw, { Bcc: undefined });

      const split = /\r?\n\r?\n/.exec(result.toString('latin1'));
      const head = result.toString('latin1').slice(0, split?.index);
      assert.doesNotMatch(head, /^bcc\s*:/im);
      assert.ok(result.subarray(result.length - body.length).equals(body));
    }),
  );
});
