/** A shorter prefix is not significant. */
const SHORTEST_BEGINNING = 2;

/**
 * The probable intended candidate for `word`: one that differs by a typo, else the only one that begins with it;
 * undefined if none is close enough.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates];
  return nearest(word.toLowerCase(), all) ?? onlyBeginning(word.toLowerCase(), all);
}

function onlyBeginning(typed: string, candidates: readonly string[]): string | undefined {
  if (typed.length < SHORTEST_BEGINNING) return undefined;
  const begun = candidates.filter((candidate) => candidate.toLowerCase().startsWith(typed));
  return begun.length === 1 ? begun[0] : undefined;
}

function nearest(typed: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of candidates) {
    // Lengths rule out most pairs, so that a huge word costs nothing.
    if (Math.abs(candidate.length - typed.length) >= bestDistance) continue;
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance < bestDistance && distance < candidate.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours between two words. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(beforeLast, j - 2) + 1 : replaced;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}
