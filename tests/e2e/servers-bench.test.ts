import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Report } from '../../bench/support/report.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');

test('npm run bench -- servers completes, and compares us with the server itself and with relays', () => {
  const file = join(temporaryFolder(after), 'servers.json');
  // Other tests measure this coverage; recording it would dominate the run time here.
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const args = ['bench/run.ts', 'servers', '--quick', '--json', file];

  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });

  assert.equal(status, 0, stderr);
  for (const words of ['direct, stdio', 'SDK relay, stdio', 'raw relay, HTTP, session', 'Switchboard, shim', 'Targets'])
    assert.ok(stdout.includes(words), words);
  const { rows, judgements }: Report = JSON.parse(readFileSync(file, 'utf8'));
  for (const door of ['ours-stdio', 'ours-session', 'ours-stateless']) {
    for (const id of ['start/one', 'start/many', 'cached/many', 'p50', 'p99', 'rate/16', 'rate/64']) {
      assert.ok(
        rows.some((row) => row.id === id && Number(row.values[door]) > 0),
        `${door} ${id}`,
      );
    }
  }
  const compared = judgements.map(({ measure, of, times }) => `${measure} ${of} ${times}`);
  for (const line of ['p50 ours-stdio direct-stdio', 'rate/64 ours-stateless direct-stateless'])
    assert.ok(compared.includes(line), line);
});
