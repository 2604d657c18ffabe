import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold } from './fold.ts';
import { termsIn, tokenizeMessage } from './index-row.ts';
import { plainWords, tokenize } from './tokenize.ts';

test('a file name is indexed separately from the text, and as a field', () => {
  const attachments = [{ type: 'file', name: 'three.txt' }, { type: 'file' }] as const;

  const indexed = tokenizeMessage('one two', { attachments });

  assert.equal(indexed.words, 'one two _ three.txt _ _filename_three _filename_txt _has_attachment _has_file');
  assert.deepEqual(termsIn(indexed), ['one', 'two', 'three', 'txt']);
});

test('subject and sender of an email are indexed as words, recipients only as fields', () => {
  const mail = {
    subject: 'Invoice 7',
    from: [{ name: 'Ann', address: 'a@b.org' }],
    to: [{ name: 'Bob', address: 'bob@c.org' }],
    cc: [{ name: '', address: 'cy@d.org' }],
  };

  const { words } = tokenizeMessage('text', { mail });

  assert.equal(
    words,
    'text _ invoice 7 _ ann a@b.org _p40 _p40_aa _p40_bb _ _subject_invoice _subject_7 _ _to_bob _to_bob _to_c _to_org _ _cc_cy _cc_d _cc_org',
  );
});

test('plain text has the same tokens and terms as text that is split here', () => {
  const letters = fc.constantFrom(...'aZ09 _-.$+<=>^`|~@\n\t/'.split(''), 'word', 'x'.repeat(300));

  fc.assert(
    fc.property(fc.array(letters, { maxLength: 40 }), (parts) => {
      const plain = plainWords(parts.join(''));
      const { tokens, terms } = tokenize(fold(parts.join('')));

      // What FTS5 takes for a token, by its tokenizer.
      if (plain !== undefined) assert.deepEqual(plain.match(/[a-z0-9_]+/g) ?? [], tokens);
      assert.deepEqual(termsIn(tokenizeMessage(parts.join(''))).sort(), terms.sort());
    }),
  );
});

test('texts and names of any length are split into words', () => {
  const attachments = [{ type: 'file', name: 'a '.repeat(200_000) }] as const;

  const { words } = tokenizeMessage('x'.repeat(30_000_000), { attachments });

  assert.ok(words.split(' ').length > 350_000);
});
