import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { createMailmen } from './mailmen.ts';

test('a mail folder that is a symbolic link has no mailman, and nothing is written to its target', async () => {
  const folder = temporaryFolder(after);
  const elsewhere = join(folder, 'elsewhere');
  const main = join(folder, '.agentmail');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, main);
  const warned = Promise.withResolvers<unknown>();
  const mailmen = createMailmen({ log: { info: () => {}, warn: (fields: object) => warned.resolve(fields) } });

  mailmen.watch(main, { socket: join(folder, 'tmux'), serverPid: 1, id: '$1' });
  const fields = await warned.promise;
  await mailmen.stop();

  assert.match(String((fields as { err: Error }).err.message), /\.agentmail is a symbolic link/);
  assert.deepEqual(readdirSync(elsewhere), []);
});
