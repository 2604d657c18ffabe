/** More than this waits only when nobody reads; lines beyond it are dropped. */
const MOST_WAITING = 4_194_304;
const LONGEST_WAIT_MS = 500;

let dropped = 0;
let guarded = false;

/**
 * Writes at once where the reader keeps up. A client that never reads our standard error makes us neither wait nor grow,
 * and one that closes it does not end us.
 */
export function writeToStderr(line: string): void {
  const { stderr } = process;
  if (!guarded) {
    guarded = true;
    stderr.on('error', () => {});
  }
  if (stderr.writableLength > MOST_WAITING) {
    dropped += 1;
    return;
  }
  if (dropped > 0) {
    stderr.write(`{"level":"warn","msg":"${dropped} lines of the log were dropped: nobody read them"}\n`);
    dropped = 0;
  }
  stderr.write(line);
}

/** When everything written has gone to the system, or nobody has read it for a while. */
export function stderrDrained(): Promise<void> {
  const { stderr } = process;
  if (!guarded || stderr.writableLength === 0 || stderr.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const patience = setTimeout(resolve, LONGEST_WAIT_MS);
    stderr.write('', () => {
      clearTimeout(patience);
      resolve();
    });
  });
}

export function isTerminal(): boolean {
  return process.stderr.isTTY === true && !process.env.NO_COLOR;
}
