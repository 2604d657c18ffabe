import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Report } from '../../bench/support/report.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');

test('npm run bench -- email completes, with or without the programs it compares us with', () => {
  const file = join(temporaryFolder(after), 'email.json');
  // Other tests measure this coverage; recording it would dominate the run time here.
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const args = ['bench/run.ts', 'email', '--quick', '--messages', '150', '--json', file];

  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });

  assert.equal(status, 0, stderr);
  const { rows, judgements }: Report = JSON.parse(readFileSync(file, 'utf8'));
  const measured = [
    'fetch',
    'parse',
    'first',
    'memory',
    'incremental',
    'live/p50',
    'common/p50',
    'sender/p99',
    'tools',
  ];
  for (const id of measured) {
    assert.ok(
      rows.some((row) => row.id === id && Number(row.values.ours) > 0),
      id,
    );
  }
  assert.ok(judgements.some(({ measure, of, times }) => `${measure} ${of} ${times}` === 'rare/p50 ours imap'));
});
