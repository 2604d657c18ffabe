import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Report } from '../../bench/support/report.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');

describe('npm run bench', () => {
  const folder = temporaryFolder(after);

  test('core completes and compares us with the SDK alone on every transport', () => {
    const file = join(folder, 'core.json');

    const { status, stdout, stderr } = bench('core', '--quick', '--json', file);

    assert.equal(status, 0, stderr);
    for (const words of ['bare loop', 'SDK alone', 'embedded', 'shim', 'Targets']) assert.ok(stdout.includes(words));
    const { rows, judgements }: Report = JSON.parse(readFileSync(file, 'utf8'));
    assert.ok(rows.length > 20);
    assert.deepEqual(
      judgements
        .filter(({ times }) => times !== undefined)
        .map(({ measure, of, times }) => [measure, of, times].join(' ')),
      [
        'start/list embedded sdk',
        'start/list cold sdk',
        'start/list shim bare',
        'start/list configured bare',
        'stdio/p50 embedded sdk',
        'stdio/p50 shim sdk',
        'session/p50 embedded sdk',
        'stateless/p50 embedded sdk',
      ],
    );
    assert.ok(judgements.every(({ value }) => value > 0));
  });

  test('agentmail completes and compares us with a plain mailbox and an empty process', () => {
    const file = join(folder, 'agentmail.json');

    const { status, stderr } = bench('agentmail', '--quick', '--json', file);

    assert.equal(status, 0, stderr);
    const { rows, judgements }: Report = JSON.parse(readFileSync(file, 'utf8'));
    for (const id of [
      'cycle/disk/4000',
      'receive/disk/40000',
      'growth/disk',
      'ring/disk',
      'process/send',
      'mcp/send',
    ]) {
      assert.ok(
        rows.some((row) => row.id === id && Number(row.values.ours) > 0),
        id,
      );
    }
    assert.ok(
      judgements.some(({ measure, of, times }) => `${measure} ${of} ${times}` === 'cycle/disk/4000 ours plain'),
    );
    assert.ok(judgements.some(({ measure, of, times }) => `${measure} ${of} ${times}` === 'process/send ours node'));
  });

  test('chat completes and compares us with LIKE and with a bare insert', () => {
    const file = join(folder, 'chat.json');

    const { status, stderr } = bench('chat', '--quick', '--messages', '1000', '--json', file);

    assert.equal(status, 0, stderr);
    const { rows, judgements }: Report = JSON.parse(readFileSync(file, 'utf8'));
    for (const id of [
      'ingest/each',
      'ingest/turn',
      'size',
      'rare/p50',
      'part/p99',
      'cjk/p99',
      'small-chat/p99',
      'deep/p99',
    ]) {
      assert.ok(
        rows.some((row) => row.id === id && Number(row.values.ours) > 0),
        id,
      );
    }
    const compared = judgements.map(({ measure, of, times }) => `${measure} ${of} ${times}`);
    for (const line of ['ingest/each ours bare', 'rare/p50 ours like', 'two/p50 ours like']) {
      assert.ok(compared.includes(line), line);
    }
  });

  test('without a name it lists the benchmarks, and an unknown name is a usage error', () => {
    const list = bench();
    const unknown = bench('nothing');

    assert.equal(list.status, 0);
    for (const name of ['core', 'agentmail', 'chat', 'email', 'servers'])
      assert.match(list.stdout, new RegExp(`^${name} {2,}\\S`, 'm'));
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /^There is no benchmark nothing\. Known: core/);
  });
});

function bench(...args: string[]) {
  // Other tests measure this coverage; recording it would dominate the run time here.
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  return spawnSync(process.execPath, ['bench/run.ts', ...args], { cwd: root, env, encoding: 'utf8' });
}
