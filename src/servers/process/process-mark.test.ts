import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { homeMark, newMark, ownerMark } from './process-mark.ts';

test('marks begin with their owner, and owners with their home, by whichever path', (context) => {
  const folder = temporaryFolder((clean) => context.after(clean));
  const home = join(folder, 'home');
  mkdirSync(home);
  symlinkSync(home, join(folder, 'link'));

  const owner = ownerMark(home);
  const mark = newMark(owner);

  assert.ok(mark.startsWith(owner));
  assert.ok(owner.startsWith(homeMark(join(folder, 'link'))));
  assert.notEqual(newMark(owner), mark);
  assert.notEqual(ownerMark(home), owner);
  assert.ok(!owner.startsWith(homeMark(folder)));
});
