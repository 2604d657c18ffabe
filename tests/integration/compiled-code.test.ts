import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the cache of compiled code', () => {
  const folder = temporaryFolder(after);

  test('is used in a home that only its owner can write to', () => {
    const home = homeIn('private', 0o700);

    startIn(home);

    assert.equal(existsSync(join(home, 'run', 'compiled')), true);
  });

  test('is used by the first start in an empty home', () => {
    const home = join(folder, 'empty');
    mkdirSync(home);

    startIn(home);

    assert.equal(existsSync(join(home, 'run', 'compiled')), true);
    assert.equal(statSync(join(home, 'run')).mode & 0o777, 0o700);
  });

  test('is not used where another user could write code', () => {
    const home = homeIn('shared', 0o770);

    startIn(home);

    assert.equal(existsSync(join(home, 'run', 'compiled')), false);
  });

  test('does not create a home', () => {
    const home = join(folder, 'missing');

    startIn(home);

    assert.equal(existsSync(home), false);
  });

  function homeIn(name: string, mode: number): string {
    const home = join(folder, name);
    mkdirSync(join(home, 'run'), { recursive: true });
    chmodSync(join(home, 'run'), mode);
    return home;
  }
});

function startIn(home: string): void {
  const module = join(import.meta.dirname, '..', '..', 'src', 'lib', 'compiled-code.ts');
  const code = `import { keepCompiledCode } from ${JSON.stringify(module)}; keepCompiledCode(process.env);`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    env: { ...process.env, SWITCHBOARD_HOME: home },
  });
}
