import assert from 'node:assert/strict';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { makeFolder } from './make-folder.ts';

const folder = temporaryFolder(after);

describe('creating a folder', () => {
  test('creates its parents too, for the owner alone, and a second call does nothing', () => {
    const path = join(folder, 'a', 'b', 'c');

    makeFolder(path);
    makeFolder(path);

    assert.equal(statSync(path).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, 'a')).mode & 0o777, 0o700);
  });

  test('accepts a link to a folder', () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'link'));

    makeFolder(join(folder, 'link', 'below'));
    makeFolder(join(folder, 'link'));

    assert.ok(statSync(join(folder, 'real', 'below')).isDirectory());
  });

  test('reports what is at its path', () => {
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));

    assert.throws(() => makeFolder(join(folder, 'file')), { code: 'EEXIST' });
    assert.throws(() => makeFolder(join(folder, 'file', 'below')), { code: 'ENOTDIR' });
    assert.throws(() => makeFolder(join(folder, 'dangling', 'below')), { code: 'EEXIST' });
  });

  test('fails at a path that accepts no folders', () => {
    assert.throws(() => makeFolder('/proc/switchboard/below'));
  });
});
