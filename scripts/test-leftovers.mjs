// Imported into every test process: what a test that failed has left running is ended when all tests of the file are over, or
// the file would wait for it until its limit.
import { subscribe } from 'node:diagnostics_channel';
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

if (process.env.NODE_TEST_CONTEXT !== undefined && isMainThread) {
  const running = new Set();
  subscribe('child_process', ({ process: child }) => {
    running.add(child);
    child.once('exit', () => running.delete(child));
  });
  after(() => {
    for (const child of running) child.kill('SIGKILL');
  });
}
