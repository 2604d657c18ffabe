import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

test('every npm script begins with a program that installs missing packages', () => {
  for (const [name, command] of Object.entries(scripts)) {
    const [program = '', script = ''] = command.split(' ');

    assert.equal(program, 'node', name);
    assert.match(readFileSync(join(root, script), 'utf8'), /await setUpPackages\(\)/, name);
  }
});

test('in a clone without packages a command runs with the packages that npm installed', (context) => {
  const clone = cloneWithoutPackages(temporaryFolder((clean) => context.after(clean)));
  const runTwice = ['probe', 'one two'].map((argument) =>
    execFileSync(process.execPath, ['scripts/run.mjs', 'tool', argument], {
      cwd: clone,
      env: { PATH: join(clone, 'machine') },
      encoding: 'utf8',
    }),
  );

  assert.deepEqual(runTwice, [
    'Installing npm packages …\nthe installed tool: probe\n',
    'the installed tool: one two\n',
  ]);
});

/** The scripts alone, a lock file that names one package, and an `npm` that installs it. */
function cloneWithoutPackages(folder: string): string {
  for (const name of ['scripts', 'machine']) mkdirSync(join(folder, name));
  for (const file of readdirSync(join(root, 'scripts')).filter((name) => name.endsWith('.mjs'))) {
    copyFileSync(join(root, 'scripts', file), join(folder, 'scripts', file));
  }
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/tool': { version: '1' } } }),
  );
  writeProgram(
    join(folder, 'machine', 'npm'),
    `PATH=/usr/bin:/bin
mkdir -p node_modules/.bin
cp package-lock.json node_modules/.package-lock.json
ln -s ${process.execPath} node_modules/.bin/node
printf '#!/bin/sh\\necho "the installed tool: $1"\\n' > node_modules/.bin/tool
chmod +x node_modules/.bin/tool`,
  );
  return folder;
}

function writeProgram(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}
