import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imap } from '../../connectors/imap/index.ts';
import type { WritingAccount, WritingParts } from './parts.ts';
import { contentOf } from './write-draft.ts';

const parts = {
  clock: { now: () => 0 },
  randomHex: (digits: number) => '0'.repeat(digits),
  connector: async () => imap,
} as unknown as WritingParts;
const fields = { to: [], cc: [], bcc: [], subject: 'x', body: 'x', format: 'plain' as const, attachments: [] };

function accountOf(address: string): WritingAccount {
  return { id: 'work', name: 'Work', configuredIn: 'file', from: { name: '', address }, own: [address] };
}

test('what an account writes can be built, or the error names its address', async () => {
  const content = await contentOf(parts, accountOf('alice@xn--bcher-kva.test'), fields);

  assert.match(Buffer.from(await imap.build(content)).toString(), /^From: <alice@xn--bcher-kva\.test>$/m);
  await assert.rejects(contentOf(parts, accountOf('a..b@example.test'), fields), {
    code: 'VALIDATION_ERROR',
    field: 'account',
    message: 'The address "a..b@example.test" of the account \'work\' is not valid.',
  });
});
