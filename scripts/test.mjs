// `npm test [-- SUITE [FILE…]] [--soak] [--no-coverage]`. Runs on Node 20, imports no package; the tests run on the checkout's Node.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bin, checkoutEnv, needsBuild, node, run } from './checkout.mjs';
import { runCaptured, runInGroup, stopGroups } from './process-group.mjs';
import { setUpDebianPackages, setUpPackages } from './setup.mjs';
import { checks, overall, suites, testFiles } from './suites.mjs';

const MINUTE = 60_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { soak: { type: 'boolean' }, 'no-coverage': { type: 'boolean' } },
});
const withCoverage = !options['no-coverage'];
const [only, ...filters] = positionals;
// Several times what they take on two cores that others use too: only a hang takes as long.
const limits = options.soak
  ? { test: 60 * MINUTE, file: 120 * MINUTE, suite: 360 * MINUTE }
  : { test: 5 * MINUTE, file: 15 * MINUTE, suite: 60 * MINUTE };
const inCi = process.env.CI === 'true';

const totals = { passed: 0, failed: 0, skipped: 0 };
// Short, because the paths of Unix sockets below it are limited to about a hundred bytes.
const scratch = mkdtempSync(join(tmpdir(), 'sb-'));

let interrupted = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = true;
    stopGroups();
  });
}

try {
  await main();
} catch (error) {
  console.error(error.message);
  add({ failed: 1 });
}
rmSync(scratch, { recursive: true, force: true });
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = interrupted ? 130 : totals.failed > 0 ? 1 : 0;

async function main() {
  const chosen = suites.filter(({ name }) => only === undefined || name === only);
  if (only !== undefined && only !== 'check' && chosen.length === 0) {
    throw new Error(`There is no suite ${only}: choose ${['check', ...suites.map(({ name }) => name)].join(', ')}.`);
  }
  await setUpPackages();
  const missing = only === 'check' ? [] : await setUpDebianPackages();
  if (only === undefined || only === 'check') await runChecks();
  if (interrupted) return;
  if (chosen.some((suite) => suite.needsBuild) && needsBuild()) await build();
  for (const suite of chosen) if (!interrupted) await runSuite(suite, missing);
  if (interrupted || !withCoverage || chosen.length === 0 || filters.length > 0) return;
  await checkCoverage(chosen);
}

async function runChecks() {
  console.log('check');
  const wanted = checks.filter(({ isUnitTest }) => only === 'check' || !isUnitTest);
  const results = await Promise.all(
    wanted.map(({ command, args }) => runCaptured(join(bin, command), args, checkoutEnv())),
  );
  results.forEach(({ code, output }, index) => {
    console.log(`  ${code === 0 ? '✓' : '✗'} ${wanted[index].name}`);
    if (code !== 0) console.log(output);
    add(code === 0 ? { passed: 1 } : { failed: 1 });
  });
}

async function build() {
  if ((await run(node, ['scripts/build.mjs', '--quiet'])) !== 0) throw new Error('The build failed.');
}

async function runSuite(suite, missing) {
  const wanted = testFiles(suite).filter((file) => filters.length === 0 || filters.some((part) => file.includes(part)));
  const impossible = wanted.filter((file) =>
    missing.some(({ suites }) => suites.some((path) => file.startsWith(path))),
  );
  const files = wanted.filter((file) => !impossible.includes(file));
  console.log(suite.name);
  for (const file of impossible) console.log(`  - ${file}: cannot run on this machine`);
  add(inCi ? { failed: impossible.length } : { skipped: impossible.length });
  if (files.length === 0) return;

  const countsFile = join(scratch, `${suite.name}.json`);
  const args = [
    '--test',
    '--test-concurrency=2',
    `--test-timeout=${limits.test}`,
    '--import=./scripts/test-limit.mjs',
    '--import=./scripts/test-leftovers.mjs',
    '--test-reporter=./scripts/test-reporter.mjs',
    '--test-reporter-destination=stdout',
    ...files,
  ];
  const code = await runInGroup(node, args, { env: testEnv(suite, countsFile), limit: limits.suite });
  const { finished, ...counts } = readCounts(countsFile);
  add(counts);
  const unfinished = files.filter((file) => !finished.includes(file));
  for (const file of unfinished) console.log(`  ✗ ${file}: did not finish`);
  add({ failed: unfinished.length });
  if (code !== 0 && counts.failed + unfinished.length === 0) {
    console.log(`  ✗ ${suite.name} ended with ${code}`);
    add({ failed: 1 });
  }
}

/** A world in which a test finds nothing of the user's: no home, no configuration, no keychain, no tmux. */
function testEnv(suite, countsFile) {
  const ours = Object.entries(checkoutEnv()).filter(
    ([name]) => !/^(SWITCHBOARD_|ANTHROPIC_|TMUX|XDG_|DBUS_)/.test(name),
  );
  const home = join(scratch, 'home');
  mkdirSync(home, { recursive: true });
  return {
    ...Object.fromEntries(ours),
    npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
    npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), '.npmrc'),
    HOME: home,
    SWITCHBOARD_HOME: join(scratch, 'switchboard'),
    TMPDIR: scratch,
    TEST_COUNTS_FILE: countsFile,
    TEST_FILE_LIMIT_MS: String(limits.file),
    ...(options.soak ? { SOAK: '1' } : {}),
    ...(withCoverage ? { NODE_V8_COVERAGE: recordings(suite.name) } : {}),
  };
}

function recordings(name) {
  return join(scratch, 'recorded', name);
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 0, skipped: 0, finished: [] };
  }
}

async function checkCoverage(chosen) {
  // Needs a package, so it can be imported only after the set-up.
  const { createCoverage } = await import('./line-coverage/report.mjs');
  const coverage = await createCoverage();
  const count = (goal, enough) => goal.lines > 0 && add(enough ? { passed: 1 } : { failed: 1 });
  console.log('coverage');
  for (const suite of chosen) {
    count(suite.coverage, coverage.judge(suite.name, recordings(suite.name), suite.coverage));
  }
  if (only === undefined) count(overall, coverage.judgeTogether('all suites', overall));
}

function add(counts) {
  for (const key of Object.keys(counts)) totals[key] += counts[key];
}
