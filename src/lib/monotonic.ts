/** Milliseconds of a clock that never jumps. Not `performance.now`, whose first use loads a dozen modules of Node. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
