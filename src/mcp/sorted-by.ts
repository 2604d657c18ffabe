/** Lists are sorted by name, so that their order is the same every time and pages can be resumed. */
export function sortedBy<T>(entries: readonly T[], key: (entry: T) => string): T[] {
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
