import type { JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';

/** BM25, with the usual constants. */
const K1 = 1.2;
const B = 0.75;
/** A word of the name says more than one of the description. */
const NAME_WEIGHT = 3;

interface Indexed<T> {
  entry: T;
  words: ReadonlyMap<string, number>;
  length: number;
}

/** Finds tools by words of their names, descriptions and parameters. The beginning of a word counts, too. */
export function createToolSearch<T extends { definition: JsonObject & { name: string } }>(entries: readonly T[]) {
  const indexed = entries.map((entry) => indexOf(entry));
  const average = indexed.reduce((sum, { length }) => sum + length, 0) / Math.max(1, indexed.length);

  function score({ words, length }: Indexed<T>, term: string, rarity: number): number {
    let count = 0;
    for (const [word, times] of words) if (word === term || (term.length > 2 && word.startsWith(term))) count += times;
    return (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));
  }

  return {
    /** Best first. Without words, all of them by name. */
    find(query: string, limit: number): { found: readonly T[]; total: number } {
      const terms = [...new Set(wordsOf(query))];
      if (terms.length === 0) return { found: entries.slice(0, limit), total: entries.length };
      const rarities = terms.map((term) => {
        const holding = indexed.filter((one) => score(one, term, 1) > 0).length;
        return Math.log(1 + (indexed.length - holding + 0.5) / (holding + 0.5));
      });
      const scored = indexed
        .map((one) => ({
          entry: one.entry,
          total: terms.reduce((sum, term, index) => sum + score(one, term, rarities[index] ?? 0), 0),
        }))
        .filter(({ total }) => total > 0)
        .sort((a, b) => b.total - a.total);
      return { found: scored.slice(0, limit).map(({ entry }) => entry), total: scored.length };
    },
  };
}

export type ToolSearch<T extends { definition: JsonObject & { name: string } }> = ReturnType<
  typeof createToolSearch<T>
>;

function indexOf<T extends { definition: JsonObject & { name: string } }>(entry: T): Indexed<T> {
  const { name, title, description, inputSchema } = entry.definition;
  const properties = isRecord(inputSchema) && isRecord(inputSchema.properties) ? inputSchema.properties : {};
  const words = new Map<string, number>();
  let length = 0;
  const add = (text: unknown, weight: number) => {
    for (const word of typeof text === 'string' ? wordsOf(text) : []) {
      words.set(word, (words.get(word) ?? 0) + weight);
      length += 1;
    }
  };
  add(name, NAME_WEIGHT);
  add(title, NAME_WEIGHT);
  add(description, 1);
  for (const property of Object.keys(properties)) add(property, 1);
  return { entry, words, length };
}

/** `createIssue`, `create_issue` and `create issue` are the same words. */
function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
