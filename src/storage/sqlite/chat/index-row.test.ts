import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenizeMessage } from './index-row.ts';

test('a file name is indexed separately from the text, and as a field', () => {
  const attachments = [{ type: 'file', name: 'three.txt' }, { type: 'file' }] as const;

  const { tokens, terms } = tokenizeMessage('one two', { attachments });

  assert.deepEqual(tokens.slice(0, 5), ['one', 'two', '_', 'three', 'txt']);
  assert.deepEqual(tokens.slice(5), ['_', '_filename_three', '_filename_txt', '_has_attachment', '_has_file']);
  assert.deepEqual(terms, ['one', 'two', 'three', 'txt']);
});

test('subject and sender of an email are indexed as words, recipients only as fields', () => {
  const mail = {
    subject: 'Invoice 7',
    from: [{ name: 'Ann', address: 'a@b.org' }],
    to: [{ name: 'Bob', address: 'bob@c.org' }],
    cc: [{ name: '', address: 'cy@d.org' }],
  };

  const { tokens } = tokenizeMessage('text', { mail });

  assert.equal(
    tokens.join(' '),
    'text _ invoice 7 _ ann a b org _ _subject_invoice _subject_7 _ _to_bob _to_bob _to_c _to_org _ _cc_cy _cc_d _cc_org',
  );
});

test('texts and names of any length are split into words', () => {
  const attachments = [{ type: 'file', name: 'a '.repeat(200_000) }] as const;

  const { tokens } = tokenizeMessage('x'.repeat(30_000_000), { attachments });

  assert.ok(tokens.length > 350_000);
});
