/** A set of small whole numbers: a bit for each up to the largest one. */
export interface NumberSet {
  readonly size: number;
  add(value: number): void;
}

const FIRST_WORDS = 256;
const BITS = 32;

export function createNumberSet(): NumberSet {
  let words = new Uint32Array(FIRST_WORDS);
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(value) {
      const [at, bit] = [Math.floor(value / BITS), 1 << (value % BITS)];
      if (at >= words.length) {
        const larger = new Uint32Array(Math.max(at + 1, words.length * 2));
        larger.set(words);
        words = larger;
      }
      const before = words[at] ?? 0;
      if ((before & bit) !== 0) return;
      words[at] = before | bit;
      size += 1;
    },
  };
}
