import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import type { ArchiveFormat, ImportReport } from '../../src/domain/archive.ts';
import { writeBigExport, writeLongEmails, writeManyEmails } from '../support/archives/big-export.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const BIG_MB = process.env.SOAK ? 845 : 2;
const FILES = process.env.SOAK ? 60_000 : 300;
const LONG_EMAILS = process.env.SOAK ? 60 : 1;
const MOST_MEMORY_MB = 250;
const PROGRAM = new URL('../support/archives/import-program.ts', import.meta.url).pathname;
const folder = temporaryFolder(after);

describe('a large export', () => {
  for (const format of ['telegram', 'irc', 'whatsapp', 'mbox'] as const) {
    test(`of ${BIG_MB} MB of ${format} is imported in bounded memory, with progress, and so is it again`, async () => {
      const path = join(folder, `big.${format}`);
      const written = writeBigExport(format, path, BIG_MB * 1_000_000);

      const first = await run(format, path);
      const again = await run(format, path);

      assert.partialDeepStrictEqual(first.report, { added: written, known: 0 });
      assert.partialDeepStrictEqual(again.report, { added: 0, changed: 0, known: written });
      assertBounded(first, again);
      const { done, total } = first.progress.at(-1) ?? {};
      assert.ok(first.progress.length >= BIG_MB / 2);
      assert.equal(done, total);
      assert.ok(total !== undefined && total % statSync(path).size === 0);
    });
  }

  for (const [what, count, write] of [
    ['small files', FILES, writeManyEmails],
    ['emails of a million characters', LONG_EMAILS, writeLongEmails],
  ] as const) {
    test(`of ${count} ${what} is imported in bounded memory, and so is it again`, async () => {
      const path = join(folder, what);
      write(path, count);

      const first = await run('mbox', path, what);
      const again = await run('mbox', path, what);

      assert.partialDeepStrictEqual(first.report, { added: count });
      assert.partialDeepStrictEqual(again.report, { added: 0, known: count });
      assertBounded(first, again);
    });
  }
});

function assertBounded(...runs: Finished[]): void {
  for (const { maxRssMb } of runs) assert.ok(maxRssMb < MOST_MEMORY_MB, `${maxRssMb} MB`);
}

interface Finished {
  report: ImportReport;
  maxRssMb: number;
  progress: { done: number; total: number }[];
}

async function run(format: ArchiveFormat, path: string, home: string = format): Promise<Finished> {
  const program = spawn(process.execPath, [PROGRAM, join(folder, `home of ${home}`), format, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const progress: Finished['progress'] = [];
  let last: Pick<Finished, 'report' | 'maxRssMb'> | undefined;
  for await (const line of createInterface(program.stdout)) {
    const fact = JSON.parse(line);
    if ('done' in fact) progress.push(fact);
    if ('report' in fact) last = fact;
  }
  assert(last);
  return { ...last, progress };
}
