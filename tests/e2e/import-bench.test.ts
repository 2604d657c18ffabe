import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Report } from '../../bench/support/report.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = temporaryFolder(after);

test('npm run bench -- import imports each export completely, finds all of it again, and compares the two', () => {
  const file = join(folder, 'import.json');

  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'bench', 'run.ts'), 'import', '--quick', '--messages', '2500', '--json', file],
    { cwd: root, encoding: 'utf8' },
  );

  assert.equal(status, 0, stderr);
  const { rows, judgements }: Report = JSON.parse(readFileSync(file, 'utf8'));
  for (const format of ['irc', 'mbox', 'telegram', 'whatsapp']) {
    const { values } = rows.find(({ id }) => id === `${format}/rate`) ?? {};
    assert.ok(Number(values?.first) > 0 && Number(values?.again) > 0, format);
  }
  assert.ok(judgements.filter(({ measure }) => measure.endsWith('/memory')).every(({ met }) => met));
});
