// Loaded into a daemon with `node --import`: writes the longest turn of its event loop so far, in milliseconds, into the file
// named by BENCH_LONGEST_TURN. Unlike `longestTurn`, it does not keep the processor busy while the program is idle.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { stolenMs } from './stolen-time.ts';

const EVERY_MS = 4;
/** The start of a program is one long turn. */
const START_MS = 500;

const file = process.env.BENCH_LONGEST_TURN;
if (isMainThread && file !== undefined) setTimeout(() => observe(file), START_MS).unref();

function observe(path: string): void {
  let longest = 0;
  let last = { at: performance.now(), stolen: stolenMs() };
  setInterval(() => {
    const now = { at: performance.now(), stolen: stolenMs() };
    const turn = now.at - last.at - EVERY_MS - (now.stolen - last.stolen);
    if (turn > longest) {
      longest = turn;
      writeFileSync(path, String(longest));
    }
    last = now;
  }, EVERY_MS).unref();
}
