// Imported into every test process: `--test-timeout` ends a test that hangs, this ends a file that does, for example because
// of a server that nobody closed.
const limit = Number(process.env.TEST_FILE_LIMIT_MS);
if (process.env.NODE_TEST_CONTEXT !== undefined && limit > 0) {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((resource) => resource !== 'Timeout');
    console.error(`Still running after ${limit / 60_000} minutes; open: ${[...new Set(open)].join(', ')}`);
    process.exit(1);
  }, limit).unref();
}
