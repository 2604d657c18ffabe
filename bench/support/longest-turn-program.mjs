// Loaded into a daemon with `node --import`: writes the longest turn of its event loop so far, in milliseconds, into the file
// named by BENCH_LONGEST_TURN. Unlike `longestTurn`, it does not keep the processor busy while the program is idle. It is plain
// JavaScript, because Node's way to run TypeScript would add to the memory of every thread of the daemon.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 4;
/** The start of a program is one long turn. */
const START_MS = 500;
/** The unit of Linux's counters, in milliseconds. */
const TICK_MS = 10;
/** Shorter turns are not looked at. */
const SHORTEST_MS = 10;

const cores = availableParallelism();
const file = process.env.BENCH_LONGEST_TURN;
if (isMainThread && file !== undefined) setTimeout(() => observe(file), START_MS).unref();

function observe(path) {
  let longest = 0;
  let last = performance.now();
  let stolen = stolenMs();
  setInterval(() => {
    const now = performance.now();
    const gross = now - last - EVERY_MS;
    last = now;
    if (gross < SHORTEST_MS) return;
    const stolenNow = stolenMs();
    const turn = gross - (stolenNow - stolen);
    stolen = stolenNow;
    if (turn <= longest) return;
    longest = turn;
    writeFileSync(path, String(longest));
  }, EVERY_MS).unref();
}

/** How long, per core, the host of this machine ran others instead, since boot; 0 if unknown. */
function stolenMs() {
  try {
    const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    return (Number(all.split(/\s+/)[8] ?? 0) * TICK_MS) / cores;
  } catch {
    return 0;
  }
}
