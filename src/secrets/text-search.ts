/** Finds many literals in a text in one pass. */
export interface TextSearch {
  add(literal: string): void;
  /** Matches ordered by their start; overlapping and adjacent ones are joined. */
  find(text: string): TextSpan[];
}

export interface TextSpan {
  begin: number;
  end: number;
}

/** Minimum length of a literal. It allows the search to skip most of a text. */
export const MIN_LITERAL_LENGTH = 6;

const BLOCK = 3;
const FULL_STEP = MIN_LITERAL_LENGTH - BLOCK + 1;
const TABLE_SIZE = 1 << 16;

/**
 * The Wu-Manber algorithm: a table has for each block of three characters how far the search can advance. A regular
 * expression of all literals is several times slower and must be recompiled for each literal.
 */
export function createTextSearch(): TextSearch {
  const steps = new Uint8Array(TABLE_SIZE).fill(FULL_STEP);
  const literalsByBlock = new Map<number, string[]>();

  return {
    add(literal) {
      for (let end = BLOCK - 1; end < MIN_LITERAL_LENGTH; end++) {
        const block = blockAt(literal, end);
        steps[block] = Math.min(steps[block] ?? 0, MIN_LITERAL_LENGTH - 1 - end);
      }
      const block = blockAt(literal, MIN_LITERAL_LENGTH - 1);
      const sameBlock = literalsByBlock.get(block);
      if (sameBlock) sameBlock.push(literal);
      else literalsByBlock.set(block, [literal]);
    },

    find(text) {
      const spans: TextSpan[] = [];
      let end = MIN_LITERAL_LENGTH - 1;
      while (end < text.length) {
        const block = blockAt(text, end);
        const step = steps[block] ?? 1;
        if (step === 0) {
          const begin = end - MIN_LITERAL_LENGTH + 1;
          addSpan(spans, begin, longestMatchAt(text, begin, literalsByBlock.get(block) ?? []));
        }
        end += step || 1;
      }
      return spans;
    },
  };
}

function blockAt(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) << 10) ^ (text.charCodeAt(end - 1) << 5) ^ text.charCodeAt(end)) & (TABLE_SIZE - 1);
}

function longestMatchAt(text: string, begin: number, literals: readonly string[]): number {
  let longest = 0;
  for (const literal of literals) {
    if (literal.length > longest && text.startsWith(literal, begin)) longest = literal.length;
  }
  return longest;
}

function addSpan(spans: TextSpan[], begin: number, length: number): void {
  if (length === 0) return;
  const last = spans.at(-1);
  if (last && begin <= last.end) last.end = Math.max(last.end, begin + length);
  else spans.push({ begin, end: begin + length });
}
