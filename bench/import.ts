import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARCHIVE_FILES } from './support/archive-files.ts';
import { importMeasures, measureImport } from './support/measure-import.ts';
import { createSamples, type Report, summarize, type Target } from './support/report.ts';

export const title = 'exports of other programs imported into an empty store, and once more';

/** Printed below the table. */
export const legend = [
  'ratio: importing the same export again to importing it',
  'peak memory: of the whole program, with its threads',
];

const FULL = 500_000;
const QUICK = 1_000;
const MAX_MEMORY_MB = 250;
const MIN_RATE = 20_000;

export async function run({ quick, messages }: { quick: boolean; messages?: number | undefined }): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const samples = createSamples();
  for (const archive of ARCHIVE_FILES) {
    await measureImport(archive, { folder, messages: messages ?? (quick ? QUICK : FULL) }, samples);
  }
  return summarize(samples, {
    contenders: [
      { id: 'first', title: 'first' },
      { id: 'again', title: 'again' },
    ],
    measures: ARCHIVE_FILES.flatMap(importMeasures),
    targets: [
      { measure: 'irc/rate', of: 'first', atLeast: MIN_RATE },
      ...ARCHIVE_FILES.flatMap(({ format }): Target[] => [
        { measure: `${format}/cpu`, of: 'again', times: 'first', atMost: 1 },
        { measure: `${format}/memory`, of: 'first', atMost: MAX_MEMORY_MB },
        { measure: `${format}/memory`, of: 'again', atMost: MAX_MEMORY_MB },
      ]),
    ],
    ours: 'again',
    peer: 'first',
  });
}
