import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchedMail } from '../../../tests/support/email/mail-samples.ts';
import { CUT_TEXT } from '../../domain/email.ts';
import { toPayload } from './payload.ts';

test('who approves an email sees whether there is more of its text', () => {
  const shown = (problems: readonly string[]) =>
    toPayload(fetchedMail(1, { email: { problems } }).email, { id: '1', digest: '', answers: undefined }).text;

  assert.equal(shown([]), 'Text 1');
  assert.match(
    shown([CUT_TEXT.longText]),
    /^Text 1\n\n\[The end of this email is sent, but too long to be shown here\.\]$/,
  );
});
