interface Walk<Row> {
  rows: AsyncIterator<Row[]>;
  waiting: Row[];
}

/** Several walks, each newest first, as one; what is in several of them comes once. */
export async function* mergeNewest<Row extends { id: number }>(
  sources: readonly AsyncIterable<Row[]>[],
): AsyncGenerator<Row[]> {
  const walks: Walk<Row>[] = sources.map((source) => ({ rows: source[Symbol.asyncIterator](), waiting: [] }));
  for (;;) {
    for (const walk of walks) if (walk.waiting.length === 0) walk.waiting = await nextOf(walk.rows);
    const full = walks.filter(({ waiting }) => waiting.length > 0);
    if (full.length === 0) return;
    // Below the highest of these ends, a walk may have more that has not been read yet.
    const end = Math.max(...full.map(({ waiting }) => waiting.at(-1)?.id ?? 0));
    const merged = new Map<number, Row>();
    for (const walk of full) {
      const ready = walk.waiting.filter(({ id }) => id >= end);
      for (const row of ready) merged.set(row.id, row);
      walk.waiting = walk.waiting.slice(ready.length);
    }
    yield [...merged.values()].sort((a, b) => b.id - a.id);
  }
}

/** What comes next, or nothing when there is no more; a walk may come by rows of which none fits. */
async function nextOf<Row>(rows: AsyncIterator<Row[]>): Promise<Row[]> {
  for (;;) {
    const { value, done } = await rows.next();
    if (done) return [];
    if (value.length > 0) return value;
  }
}
