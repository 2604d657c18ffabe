// `npm test [-- SUITE [FILE…]] [--soak] [--no-coverage] [--seed N|random]`. Runs on Node 20, imports no package; the tests run on the checkout's Node.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hasAssistants, setUpAssistants } from './assistants.mjs';
import { bin, checkoutEnv, needsBuild, node } from './checkout.mjs';
import { runCaptured, stopGroups } from './process-group.mjs';
import { setUpDebianPackages, setUpPackages } from './setup.mjs';
import { checks, groupsOf, overall, suites, testFiles } from './suites.mjs';
import { hasSynapse, needsSynapse, setUpSynapse } from './synapse.mjs';
import { runQueue } from './test/queue.mjs';
import { runFiles } from './test/run-files.mjs';

const MINUTE = 60_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { soak: { type: 'boolean' }, 'no-coverage': { type: 'boolean' }, seed: { type: 'string' } },
});
const [only, ...filters] = positionals;
const withCoverage = !options['no-coverage'] && filters.length === 0;
// Several times what they take on two busy cores: only a hang takes this long.
const limits = options.soak ? { test: 60 * MINUTE, process: 120 * MINUTE } : { test: 5 * MINUTE, process: 15 * MINUTE };
/** Of property tests. Always the same, so that unchanged code cannot fail; a soak run explores. */
const seed = seedOf(options.seed ?? (options.soak ? 'random' : '1'));
const inCi = process.env.CI === 'true';

const totals = { passed: 0, failed: 0, skipped: 0 };
/** Printed once more at the end, because the rest of the output is long. */
const failures = [];
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
if (failures.length > 0) console.log(`failures (seed ${seed})\n${failures.join('').trimEnd()}`);
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = interrupted ? 130 : totals.failed > 0 ? 1 : 0;

async function main() {
  if (!Number.isInteger(seed)) throw new Error('--seed takes a whole number or random.');
  const chosen = suites.filter(({ name, needsAssistants }) =>
    only === undefined ? options.soak || !needsAssistants : name === only,
  );
  if (only !== undefined && only !== 'check' && chosen.length === 0) {
    throw new Error(`There is no suite ${only}: choose ${['check', ...suites.map(({ name }) => name)].join(', ')}.`);
  }
  await setUpPackages();
  const missing = only === 'check' ? [] : await setUpDebianPackages();
  if (options.soak && chosen.some((suite) => testFiles(suite).some(needsSynapse))) await setUpSynapse();
  if (chosen.some(({ needsAssistants }) => needsAssistants)) await setUpAssistants();
  const built = chosen.some((suite) => suite.needsBuild) && needsBuild() ? build() : Promise.resolve(true);
  const jobs = [...checkJobs(), ...chosen.flatMap((suite) => suiteJobs(suite, missing, built))];
  // Tests also wait for other processes and for the disk: one more than the number of cores keeps the cores busy.
  await runQueue(jobs, { sideBySide: availableParallelism() + 1, isStopped: () => interrupted });
  if (!(await built)) throw new Error('The build failed.');
  if (!interrupted && withCoverage) await checkCoverage(chosen.filter(({ coverage }) => coverage));
}

async function build() {
  const { code, output } = await runCaptured(node, ['scripts/build.mjs', '--quiet'], {
    env: checkoutEnv(),
    limit: limits.process,
  });
  process.stdout.write(output);
  return code === 0;
}

function checkJobs() {
  const wanted = checks.filter(({ isUnitTest }) => only === 'check' || (only === undefined && !isUnitTest));
  return wanted.map(({ name, command, args }) => ({
    group: 'check',
    async run() {
      const { code, output } = await runCaptured(join(bin, command), args, {
        env: checkoutEnv(),
        limit: limits.process,
      });
      add(code === 0 ? { passed: 1 } : { failed: 1 });
      const text = code === 0 ? `  ✓ ${name}\n` : `  ✗ ${name}\n${output}\n`;
      if (code !== 0) failures.push(text);
      return text;
    },
  }));
}

function suiteJobs(suite, missing, built) {
  // Synapse is large: a run that is no soak run uses it only if it is there already.
  const wanted = testFiles(suite).filter(
    (file) =>
      (filters.length === 0 || filters.some((part) => file.includes(part))) &&
      (options.soak || hasSynapse() || !needsSynapse(file)),
  );
  const impossible = wanted.filter(
    (file) =>
      missing.some(({ suites }) => suites.some((path) => file.startsWith(path))) ||
      (needsSynapse(file) && !hasSynapse()) ||
      (suite.needsAssistants && !hasAssistants()),
  );
  const groups = groupsOf(
    suite,
    wanted.filter((file) => !impossible.includes(file)),
  );
  return [
    ...impossible.map((file) => ({ group: suite.name, run: async () => skip(file) })),
    ...groups.map((files, index) => ({
      group: suite.name,
      async run() {
        if (suite.needsBuild && !(await built)) return '';
        const resultsFile = join(scratch, `${suite.name}-${index}.jsonl`);
        const result = await runFiles(files, { env: testEnv(suite), resultsFile, limits });
        add(result.counts);
        if (result.failures !== '') failures.push(result.failures);
        return result.text;
      },
    })),
  ];
}

function skip(file) {
  add(inCi ? { failed: 1 } : { skipped: 1 });
  const text = `  - ${file}: cannot run on this machine\n`;
  if (inCi) failures.push(text);
  return text;
}

/** An environment without anything of the user: no home, configuration, keychain or tmux. */
function testEnv(suite) {
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
    PROPERTY_SEED: String(seed),
    TMPDIR: scratch,
    ...(options.soak ? { SOAK: '1' } : {}),
    // Code from a cache is recorded less precisely.
    ...(withCoverage && suite.coverage
      ? { NODE_V8_COVERAGE: recordings(suite.name) }
      : { NODE_COMPILE_CACHE: join(scratch, 'compiled') }),
  };
}

function recordings(name) {
  return join(scratch, 'recorded', name);
}

async function checkCoverage(recorded) {
  if (recorded.length === 0) return;
  // Needs a package, so it can be imported only after the set-up.
  const { createCoverage } = await import('./line-coverage/report.mjs');
  const coverage = await createCoverage();
  const count = (isEnough) => add(isEnough ? { passed: 1 } : { failed: 1 });
  console.log('coverage');
  for (const { name, coverage: goal } of recorded) count(coverage.judge(name, recordings(name), goal));
  if (only === undefined) count(coverage.judgeTogether('all suites', overall));
}

function seedOf(text) {
  return text === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(text);
}

function add(counts) {
  for (const key of Object.keys(counts)) totals[key] += counts[key];
}
