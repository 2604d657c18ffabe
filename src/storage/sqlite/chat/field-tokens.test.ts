import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CONTENT_TYPES } from '../../../domain/chat.ts';
import { fieldPhrase, fieldPrefix, fieldTokens } from './field-tokens.ts';
import { fold } from './fold.ts';
import { typeToken } from './index-row.ts';
import { tokenize } from './tokenize.ts';

test('each word of a field is a token with the name of the field', () => {
  assert.deepEqual(fieldTokens('subject', 'Quarterly Report, Q3+'), [
    '_subject_quarterly',
    '_subject_report',
    '_subject_q3',
    '_subject__2b',
  ]);
});

test('several values of a field are separate, so that no phrase matches across them', () => {
  const tokens = fieldTokens('to', 'alice@example.org', '…', 'Bob bob@example.net');

  assert.equal(tokens.join(' '), '_to_alice _to_example _to_org _ _to_bob _to_bob _to_example _to_net');
});

test('a text is searched as a phrase, or with its last word as a prefix', () => {
  assert.equal(fieldPhrase('subject', 'Quarterly report'), '"_subject_quarterly _subject_report"');
  assert.equal(fieldPrefix('to', 'alice@ex'), '"_to_alice _to_ex" *');
  assert.equal(fieldPhrase('cc', '…'), undefined);
  assert.equal(fieldPrefix('filename', ''), undefined);
});

test('a token of a field is neither a word of a text, nor a symbol, nor a key', () => {
  const keys = new Set(CONTENT_TYPES.map(typeToken));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const words = new Set(tokenize(fold(text)).tokens);

      for (const field of ['subject', 'to', 'cc', 'filename'] as const) {
        for (const token of fieldTokens(field, text)) {
          assert.ok(!words.has(token) && !keys.has(token));
          assert.match(token, /^_[a-z]+_[^\s"'()*:^+-]+$/u);
        }
      }
    }),
  );
});
