interface Source<Row> {
  rows: AsyncIterator<Row[]>;
  buffer: Row[];
}

/** Merges several sequences, each newest first, into one without duplicates. */
export async function* mergeNewest<Row extends { id: number }>(
  sources: readonly AsyncIterable<Row[]>[],
): AsyncGenerator<Row[]> {
  const buffered: Source<Row>[] = sources.map((source) => ({ rows: source[Symbol.asyncIterator](), buffer: [] }));
  for (;;) {
    for (const source of buffered) if (source.buffer.length === 0) source.buffer = await nextRows(source.rows);
    const nonEmpty = buffered.filter(({ buffer }) => buffer.length > 0);
    if (nonEmpty.length === 0) return;
    // Below the highest of these ids a source may have rows that are not read yet.
    const end = Math.max(...nonEmpty.map(({ buffer }) => buffer.at(-1)?.id ?? 0));
    const merged = new Map<number, Row>();
    for (const source of nonEmpty) {
      const ready = source.buffer.filter(({ id }) => id >= end);
      for (const row of ready) merged.set(row.id, row);
      source.buffer = source.buffer.slice(ready.length);
    }
    yield [...merged.values()].sort((a, b) => b.id - a.id);
  }
}

/** The next non-empty batch, or an empty one at the end. */
async function nextRows<Row>(rows: AsyncIterator<Row[]>): Promise<Row[]> {
  for (;;) {
    const { value, done } = await rows.next();
    if (done) return [];
    if (value.length > 0) return value;
  }
}
