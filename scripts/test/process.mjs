// Imported into every test process, before its test files.
import { subscribe } from 'node:diagnostics_channel';
import { registerHooks } from 'node:module';
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

const SEEDED = new URL('property-seed.mjs', import.meta.url).href;

const { TEST_LIMIT_MS } = process.env;
if (isMainThread && TEST_LIMIT_MS !== undefined) {
  // Programs that tests start inherit the environment; these variables are not for them.
  delete process.env.TEST_LIMIT_MS;
  delete process.env.NODE_COMPILE_CACHE;
  seedProperties();
  endLeftovers();
  endAfter(Number(TEST_LIMIT_MS));
}

/** Two runs of the same code give the same result: property tests use the seed of the run. */
function seedProperties() {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'fast-check' ? { url: SEEDED, shortCircuit: true } : next(specifier, context),
  });
}

/** A program left running by a failed test is ended after the last test, or the process would wait for it until its timeout. */
function endLeftovers() {
  const running = new Set();
  subscribe('child_process', ({ process: child }) => {
    running.add(child);
    child.once('exit', () => running.delete(child));
  });
  after(() => {
    for (const child of running) child.kill('SIGKILL');
  });
}

/** `--test-timeout` ends a test that hangs; this ends a process that hangs, for example because of a server that was not closed. */
function endAfter(limitMs) {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((resource) => resource !== 'Timeout');
    console.error(`Still running after ${limitMs / 60_000} minutes; open: ${[...new Set(open)].join(', ')}`);
    process.exit(1);
  }, limitMs).unref();
}
