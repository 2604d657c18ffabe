/** Runs work that gives its text in parts, as a stream: the parts as they come, then the result. */
export async function* textStream<Result>(
  run: (onText: (part: string) => void) => Promise<Result>,
): AsyncGenerator<{ part: string } | { result: Result }> {
  let parts: string[] = [];
  let wake = Promise.withResolvers<void>();
  let isOver = false;
  const finished = run((part) => {
    parts.push(part);
    wake.resolve();
  }).finally(() => {
    isOver = true;
    wake.resolve();
  });
  // Awaited below; until then a failure is not unhandled.
  finished.catch(() => {});
  while (!isOver || parts.length > 0) {
    await wake.promise;
    wake = Promise.withResolvers();
    const part = parts.join('');
    parts = [];
    if (part !== '') yield { part };
  }
  yield { result: await finished };
}

/** Reports text as progress, at most so often. */
const REPORT_EVERY_MS = 200;

/** The number of characters so far, and what was added since the last report. */
export function progressOf(
  report: (done: number, total?: number, message?: string) => void,
  now: () => number = Date.now,
): (part: string) => void {
  let length = 0;
  let added = '';
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (part) => {
    length += part.length;
    added += part;
    if (now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = now();
    report(length, undefined, added);
    added = '';
  };
}
