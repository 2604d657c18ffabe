import { readFileSync, rmSync } from 'node:fs';
import { node } from '../checkout.mjs';
import { runCaptured } from '../process-group.mjs';

const SHOWN_OUTPUT = 20_000;

/**
 * Runs test files in one process, one after another. Returns the counts, the failures in full, and what to print: the failures,
 * the output of the process if something failed, and a line for each file.
 */
export async function runFiles(files, { env, resultsFile, limits }) {
  const args = [
    '--test',
    '--test-isolation=none',
    `--test-timeout=${limits.test}`,
    '--import=./scripts/test/process.mjs',
    '--test-reporter=./scripts/test/reporter.mjs',
    `--test-reporter-destination=${resultsFile}`,
    ...files,
  ];
  const { code, output } = await runCaptured(node, args, {
    env: { ...env, TEST_LIMIT_MS: String(limits.process) },
    // The process ends itself first and prints the reason.
    limit: limits.process + 60_000,
  });
  const results = readResults(resultsFile);
  rmSync(resultsFile, { force: true });
  return summarize(files, results, code, output);
}

function summarize(files, results, code, output) {
  // The tests of a contract suite are not in the file that runs it.
  const [onlyFile] = files.length === 1 ? files : [];
  const tests = results
    .filter(({ result }) => result !== undefined)
    .map((test) => ({ ...test, file: onlyFile ?? test.file }));
  const isComplete = results.some(({ complete }) => complete);
  const lines = tests.flatMap(({ failure }) => failure ?? []);
  const counts = { ...countsOf(tests) };
  const fail = (line) => {
    lines.push(line);
    counts.failed++;
  };
  if (!isComplete) fail(`  ✗ ${files.join(' ')}: ended early, with ${code}\n`);
  else if (code !== 0 && counts.failed === 0) fail(`  ✗ ${files.join(' ')}: ended with ${code}\n`);
  const untested = files.filter((file) => !tests.some((test) => test.file === file));
  if (isComplete) for (const file of untested) fail(`  ✗ ${file}: has no tests\n`);
  const failures = lines.join('');
  if (counts.failed > 0 && output.trim() !== '')
    lines.push(`      output:\n${output.slice(-SHOWN_OUTPUT).trimEnd().replace(/^/gm, '      ')}\n`);
  for (const file of new Set(tests.map((test) => test.file))) lines.push(fileLine(file, tests));
  return { counts, failures, text: lines.join('') };
}

function fileLine(file, tests) {
  const counts = countsOf(tests.filter((test) => test.file === file));
  const shown = Object.entries(counts).filter(([key, count]) => key === 'passed' || count > 0);
  return `  ${counts.failed > 0 ? '✗' : '✓'} ${file}: ${shown.map(([key, count]) => `${count} ${key}`).join(', ')}\n`;
}

function countsOf(tests) {
  const count = (result) => tests.filter((test) => test.result === result).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

/** A process that was killed may have left an incomplete line. */
function readResults(file) {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}
