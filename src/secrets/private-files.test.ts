import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { assertFails } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { makePrivateFolder, readPrivate, removePrivate, writePrivate } from './private-files.ts';

let folder: string;

beforeEach((context) => {
  const { after } = context as TestContext;
  folder = temporaryFolder(after.bind(context));
});

describe('private files', () => {
  test('a file is replaced atomically, readable by the owner alone, and no temporary file remains', async () => {
    const path = join(folder, 'a');
    writeFileSync(path, 'former', { mode: 0o644 });

    await writePrivate(path, 'new');

    assert.deepEqual([readFileSync(path, 'utf8'), statSync(path).mode & 0o777], ['new', 0o600]);
    assert.deepEqual(readdirSync(folder), ['a']);
  });

  test('a missing file has no content', async () => {
    assert.equal(await readPrivate(join(folder, 'none')), undefined);
  });

  test('a link is not followed', async () => {
    writeFileSync(join(folder, 'target'), 'of somebody', { mode: 0o600 });
    symlinkSync(join(folder, 'target'), join(folder, 'link'));

    await assertFails(readPrivate(join(folder, 'link')), 'SERVICE_UNAVAILABLE', /link cannot be read/);
  });

  test('an error of the file system is reported with the path', async () => {
    const file = join(folder, 'a');
    writeFileSync(file, '');

    const inFile = join(file, 'b');
    await assertFails(
      writePrivate(inFile, 'x'),
      'SERVICE_UNAVAILABLE',
      /a\/b could not be written: the file system refused it/,
    );
    await assertFails(removePrivate(join(folder, 'none')), 'SERVICE_UNAVAILABLE', /none could not be written/);
    await assertFails(makePrivateFolder(inFile), 'SERVICE_UNAVAILABLE', /a\/b cannot be read/);
  });
});
