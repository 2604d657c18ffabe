/**
 * Which words were seen, without keeping them: by 63 bits of a hash that is another in every set, so that no two of a
 * million are the same by chance, and nobody can choose two that are.
 */
export interface WordSet {
  /** How many it holds. */
  readonly size: number;
  has(word: string): boolean;
  add(word: string): void;
  clear(): void;
}

/** For up to half as many words as it has places, which must be a power of two: eight bytes each. */
export function createWordSet(places: number): WordSet {
  const slots = new Uint32Array(places * 2);
  const [highSeed = 0, lowSeed = 0] = crypto.getRandomValues(new Uint32Array(2));
  let size = 0;
  let high = 0;
  let low = 0;

  /** The place of a word, or the free one where it belongs; leaves its hash in `high` and `low`. */
  function placeOf(word: string): number {
    high = highSeed;
    low = lowSeed;
    for (let index = 0; index < word.length; index += 1) {
      const code = word.charCodeAt(index);
      high = Math.imul(high ^ code, 0x01000193);
      low = Math.imul(low ^ code, 0x85ebca6b) ^ (low >>> 15);
    }
    high = Math.imul(high ^ (high >>> 15), 0x2c1b3c6d) >>> 0;
    // Zero marks a free place.
    low = (Math.imul(low ^ (low >>> 13), 0xc2b2ae35) | 1) >>> 0;
    let place = (high ^ (low >>> 7)) & (places - 1);
    while (slots[place * 2 + 1] !== 0 && !(slots[place * 2] === high && slots[place * 2 + 1] === low)) {
      place = (place + 1) & (places - 1);
    }
    return place;
  }

  return {
    get size() {
      return size;
    },
    has: (word) => slots[placeOf(word) * 2 + 1] !== 0,
    add(word) {
      const place = placeOf(word);
      if (slots[place * 2 + 1] !== 0) return;
      slots[place * 2] = high;
      slots[place * 2 + 1] = low;
      size += 1;
    },
    clear() {
      slots.fill(0);
      size = 0;
    },
  };
}
