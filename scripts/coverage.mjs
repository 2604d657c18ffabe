// Line coverage from what V8 recorded in the tests and in every program they started, the built one included.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bin, filesBelow, root, run } from './checkout.mjs';

const folder = join(root, 'coverage');

/** Where Node is to write what a suite covers (NODE_V8_COVERAGE). */
export function recordingFolder(name) {
  return join(folder, 'recorded', name);
}

export function forgetCoverage() {
  rmSync(folder, { recursive: true, force: true });
}

/** Writes the report of one suite; returns whether it covers what it must. */
export async function reportCoverage(name, { lines, include }) {
  const recorded = recordingFolder(name);
  if (!existsSync(recorded)) return true;
  const reports = join(folder, name);
  const code = await run(join(bin, 'c8'), [
    'report',
    ...['--temp-directory', recorded, '--reports-dir', reports],
    // Files that no test loads count too, and the built program counts as the sources it was made of.
    ...['--all', '--src', join(root, 'src'), '--exclude-after-remap'],
    ...include.flatMap((glob) => ['--include', glob]),
    ...['**/*.test.ts', ...(await typeOnlyFiles())].flatMap((glob) => ['--exclude', glob]),
    ...['--reporter', 'json-summary', '--reporter', 'lcovonly'],
  ]);
  if (code !== 0) return false;
  return judge(name, lines, JSON.parse(readFileSync(join(reports, 'coverage-summary.json'), 'utf8')));
}

/** Puts the recordings of all suites together, as a suite of its own. */
export function mergeRecordings(into, names) {
  mkdirSync(recordingFolder(into), { recursive: true });
  for (const name of names) {
    const from = recordingFolder(name);
    if (!existsSync(from)) continue;
    for (const file of readdirSync(from)) renameSync(join(from, file), join(recordingFolder(into), `${name}-${file}`));
  }
}

/** Nothing of these exists when the program runs, so nothing of them can be covered. */
async function typeOnlyFiles() {
  const { transform } = await import('esbuild');
  const files = filesBelow('src').filter((file) => file.endsWith('.ts'));
  const outputs = await Promise.all(
    files.map((file) => transform(readFileSync(join(root, file), 'utf8'), { loader: 'ts', minify: true })),
  );
  return files.filter((_, index) => outputs[index].code.trim() === '');
}

function judge(name, needed, { total, ...files }) {
  if (total.lines.total === 0) {
    console.log(`  coverage of ${name}: nothing to measure yet`);
    return true;
  }
  const enough = total.lines.pct >= needed;
  const goal = needed > 0 ? ` (at least ${needed} %)` : '';
  console.log(`  ${enough ? '✓' : '✗'} coverage of ${name}: ${total.lines.pct} % of lines${goal}`);
  if (!enough) printLeastCovered(files);
  return enough;
}

function printLeastCovered(files) {
  const missing = ({ lines }) => lines.total - lines.covered;
  const worst = Object.entries(files)
    .sort(([, a], [, b]) => missing(b) - missing(a))
    .slice(0, 15);
  for (const [path, summary] of worst) {
    console.log(`      ${relative(root, path)}: ${missing(summary)} of ${summary.lines.total} lines not covered`);
  }
}
