import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');

describe('npm run bench', () => {
  const folder = temporaryFolder(after);

  test('core runs through and compares us with the SDK alone on every transport', () => {
    const file = join(folder, 'core.json');

    const { status, stdout, stderr } = bench('core', '--quick', '--json', file);

    assert.equal(status, 0, stderr);
    for (const words of ['bare loop', 'SDK alone', 'Switchboard', 'as shipped', 'target'])
      assert.ok(stdout.includes(words));
    const { rows } = JSON.parse(readFileSync(file, 'utf8')) as {
      rows: { id: string; ratio?: number; met?: boolean }[];
    };
    const judged = rows.filter(({ met }) => met !== undefined).map(({ id }) => id);
    assert.deepEqual(judged, ['start/list', 'stdio/p50', 'session/p50', 'stateless/p50']);
    assert.ok(rows.every(({ ratio }) => ratio !== undefined && ratio > 0));
  });

  test('without a name it lists what there is, and an unknown name is wrong usage', () => {
    const list = bench();
    const unknown = bench('nothing');

    assert.equal(list.status, 0);
    assert.match(list.stdout, /^core {2,}\S/m);
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /^There is no benchmark nothing\. Known: core/);
  });
});

function bench(...args: string[]) {
  return spawnSync(process.execPath, ['bench/run.ts', ...args], { cwd: root, encoding: 'utf8' });
}
