// Line coverage from the V8 recordings (NODE_V8_COVERAGE) of the tests and every program they started, including the built one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, root } from '../checkout.mjs';
import { linesThatRan } from './recordings.mjs';
import { runnablePlaces } from './sources.mjs';

const SHOWN_FILES = 15;

export async function createCoverage() {
  const files = filesBelow('src').filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const places = await runnablePlaces(root, files);
  const lines = new Map(
    files.map((file) => [file, [...new Set(places.get(file).map(({ line }) => line))].sort((a, b) => a - b)]),
  );
  const together = new Map(files.map((file) => [file, new Set()]));

  return {
    /** Prints the coverage of the code that a suite is for, and returns whether it is sufficient. */
    judge(name, folder, goal) {
      const ran = linesThatRan(root, folder, places);
      for (const [file, numbers] of ran) for (const line of numbers) together.get(file).add(line);
      return judge(name, goal, lines, ran);
    },
    /** The same for all suites judged so far. */
    judgeTogether: (name, goal) => judge(name, goal, lines, together),
  };
}

function judge(name, { lines: needed, include }, lines, ran) {
  const files = [...lines]
    .filter(([file, runnable]) => runnable.length > 0 && include.some((pattern) => pattern.test(file)))
    .map(([file, runnable]) => ({ file, runnable, missing: runnable.filter((line) => !ran.get(file).has(line)) }));
  writeLcov(name, files);
  const total = sum(files, ({ runnable }) => runnable.length);
  if (total === 0) return true;
  const percent = (100 * (total - sum(files, ({ missing }) => missing.length))) / total;
  const enough = percent >= needed;
  const goal = needed > 0 ? ` (at least ${needed} %)` : '';
  console.log(`  ${enough ? '✓' : '✗'} coverage of ${name}: ${percent.toFixed(1)} % of ${total} lines${goal}`);
  if (!enough) printLeastCovered(files);
  return enough;
}

function printLeastCovered(files) {
  const worst = files.sort((a, b) => b.missing.length - a.missing.length).slice(0, SHOWN_FILES);
  for (const { file, runnable, missing } of worst) {
    console.log(
      `      ${file}: ${missing.length} of ${runnable.length} lines not covered, from line ${missing[0] + 1}`,
    );
  }
}

/** For editors, which show it next to the lines. */
function writeLcov(name, files) {
  const folder = join(root, 'coverage', name);
  mkdirSync(folder, { recursive: true });
  const records = files.map(({ file, runnable, missing }) => {
    const lines = runnable.map((line) => `DA:${line + 1},${missing.includes(line) ? 0 : 1}`);
    return ['TN:', `SF:${file}`, ...lines, 'end_of_record', ''].join('\n');
  });
  writeFileSync(join(folder, 'lcov.info'), records.join(''));
}

function sum(items, amount) {
  return items.reduce((total, item) => total + amount(item), 0);
}
