import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEmail } from '../../connectors/mime/parse-email.ts';
import { withFilesOf } from './replace-files.ts';

const lines = (...all: string[]) => Buffer.from(all.join('\r\n'));
const file = (name: string, content: string) => [
  `Content-Type: text/plain; name=${name}`,
  `Content-Disposition: attachment; filename=${name}`,
  '',
  content,
];
const HTML = ['Content-Type: text/html; charset=iso-8859-1', 'Content-Transfer-Encoding: 8bit', '', '<b>G\u00fcn</b>'];
const NEW_FILES = lines(
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="=_new"',
  '',
  '--=_new',
  '',
  'text as we would write it',
  '--=_new',
  ...file('new.txt', 'new'),
  '--=_new--',
  '',
);
const NO_FILES = lines('MIME-Version: 1.0', 'Content-Type: text/plain', '', 'text as we would write it', '');

function replaced(raw: Buffer, other = NEW_FILES) {
  return withFilesOf(raw, other, parseEmail(raw).attachments);
}

test('a text without files gets some, and loses them again', () => {
  const raw = Buffer.from(['Subject: x', 'MIME-Version: 1.0', ...HTML, ''].join('\r\n'), 'latin1');

  const withFiles = replaced(raw)?.raw ?? assert.fail();
  const without = replaced(withFiles, NO_FILES)?.raw ?? assert.fail();

  const email = parseEmail(withFiles);
  assert.deepEqual(
    [email.subject, email.text, email.attachments.map(({ name }) => name)],
    ['x', 'G\u00fcn', ['new.txt']],
  );
  assert.deepEqual(without.toString('latin1').split('\r\n'), ['Subject: x', 'MIME-Version: 1.0', ...HTML, '']);
});

test('files are replaced by others, and pictures of the text stay in it', () => {
  const raw = lines(
    'Content-Type: multipart/mixed; boundary=a',
    '',
    'preamble',
    '--a',
    'Content-Type: multipart/related; boundary=ab',
    '',
    '--ab',
    ...HTML,
    '--ab',
    'Content-Type: image/png; name=logo.png',
    'Content-ID: <logo>',
    '',
    'png',
    '--ab--',
    '--a',
    ...file('old.txt', 'old'),
    '--a--',
    '',
  );

  const { raw: changed, inside } = replaced(raw) ?? assert.fail();

  assert.deepEqual(
    parseEmail(changed).attachments.map(({ name, part }) => [name, part]),
    [
      ['logo.png', '1.2'],
      ['new.txt', '2'],
    ],
  );
  assert.deepEqual(
    inside.map(({ name }) => name),
    ['logo.png'],
  );
  assert.ok(changed.includes(HTML.join('\r\n')));
});

for (const [name, raw] of Object.entries({
  'is between files': lines(
    'Content-Type: multipart/mixed; boundary=a',
    '',
    '--a',
    '',
    'first',
    '--a',
    ...file('old.txt', 'old'),
    '--a',
    '',
    'last',
    '--a--',
  ),
  'comes after a file': lines(
    'Content-Type: multipart/mixed; boundary=a',
    '',
    '--a',
    'Content-Type: image/png; name=x.png',
    '',
    'png',
    '--a',
    '',
    'last',
    '--a--',
  ),
  'is a file': lines('Content-Type: application/pdf; name=a.pdf', '', 'pdf'),
  'has a file within it': lines(
    'Content-Type: multipart/mixed; boundary=a',
    '',
    '--a',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'text',
    '--b',
    ...file('old.txt', 'old'),
    '--b--',
    '--a--',
  ),
})) {
  test(`nothing is done where the text ${name}`, () => {
    assert.equal(replaced(raw), undefined);
  });
}
