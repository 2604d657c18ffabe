import type { RegistryEntry } from './registry-entry.ts';

/** Best matches first: exact name, beginning of a name, part of a name, description; then by name. Each server once. */
export function ranked(entries: readonly RegistryEntry[], query: string): readonly RegistryEntry[] {
  const wanted = query.toLowerCase();
  const unique = new Map<string, RegistryEntry>();
  for (const entry of entries) {
    const key = entry.id.toLowerCase();
    if (!unique.has(key)) unique.set(key, entry);
  }
  return [...unique.values()]
    .map((entry) => ({ entry, rank: rankOf(entry, wanted), name: entry.title.toLowerCase() }))
    .toSorted((a, b) => a.rank - b.rank || compare(a.name, b.name) || compare(a.entry.id, b.entry.id))
    .map(({ entry }) => entry);
}

function rankOf({ id, title, description }: RegistryEntry, wanted: string): number {
  const full = id.toLowerCase();
  const names = [full, full.slice(full.lastIndexOf('/') + 1), title.toLowerCase()];
  if (names.includes(wanted)) return 0;
  if (names.some((name) => name.startsWith(wanted))) return 1;
  if (names.some((name) => name.includes(wanted))) return 2;
  return description.toLowerCase().includes(wanted) ? 3 : 4;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
