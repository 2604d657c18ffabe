/** Ids of several sources, each newest first, as one list that is newest first and has each id once. */
export async function* mergeNewestFirst(sources: readonly AsyncGenerator<number[]>[]): AsyncGenerator<number[]> {
  const heads: { source: AsyncGenerator<number[]>; ids: number[] }[] = [];
  // One after the other, with turns of the event loop in between.
  for (const source of sources) heads.push({ source, ids: await nextOf(source) });
  try {
    for (;;) {
      const open = heads.filter(({ ids }) => ids.length > 0);
      if (open.length === 0) return;
      // A source may have more ids below the last one that it gave.
      const lowest = Math.max(...open.map(({ ids }) => ids.at(-1) ?? 0));
      const merged = new Set<number>();
      for (const head of open) {
        for (const id of head.ids) if (id >= lowest) merged.add(id);
        head.ids = head.ids.filter((id) => id < lowest);
      }
      yield [...merged].sort((a, b) => b - a);
      for (const head of open) if (head.ids.length === 0) head.ids = await nextOf(head.source);
    }
  } finally {
    for (const { source } of heads) await source.return(undefined);
  }
}

/** Empty at the end. */
async function nextOf(source: AsyncGenerator<number[]>): Promise<number[]> {
  for (;;) {
    const { value, done } = await source.next();
    if (done) return [];
    if (value.length > 0) return value;
  }
}
