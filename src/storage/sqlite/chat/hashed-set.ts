/**
 * A set of strings that stores 63 bits of a hash instead of the string. The hash is seeded per set, so that a sender
 * cannot construct collisions; accidental ones among a million strings are negligible.
 */
export interface HashedSet {
  /** Number of strings in the set. */
  readonly size: number;
  has(value: string): boolean;
  /** The words of a text that it does not have; `isLetter` tells which code units are part of words. */
  missingWords(text: string, isLetter: (code: number) => boolean, found: Set<string>): void;
  add(value: string): void;
  clear(): void;
}

/** `slotCount` must be a power of two; the set holds up to half as many strings, eight bytes per slot. */
export function createHashedSet(slotCount: number): HashedSet {
  const table = new Uint32Array(slotCount * 2);
  const [highSeed = 0, lowSeed = 0] = crypto.getRandomValues(new Uint32Array(2));
  let size = 0;
  let high = 0;
  let low = 0;

  /** The slot of a string, or the free slot for it. Leaves its hash in `high` and `low`. */
  function slotOf(value: string): number {
    high = highSeed;
    low = lowSeed;
    for (let index = 0; index < value.length; index += 1) mix(value.charCodeAt(index));
    return slotOfHash();
  }

  function mix(code: number): void {
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca6b) ^ (low >>> 15);
  }

  function slotOfHash(): number {
    high = Math.imul(high ^ (high >>> 15), 0x2c1b3c6d) >>> 0;
    // Zero marks a free slot.
    low = (Math.imul(low ^ (low >>> 13), 0xc2b2ae35) | 1) >>> 0;
    let slot = (high ^ (low >>> 7)) & (slotCount - 1);
    while (table[slot * 2 + 1] !== 0 && !(table[slot * 2] === high && table[slot * 2 + 1] === low)) {
      slot = (slot + 1) & (slotCount - 1);
    }
    return slot;
  }

  return {
    get size() {
      return size;
    },
    has: (value) => table[slotOf(value) * 2 + 1] !== 0,
    missingWords(text, isLetter, found) {
      let start = -1;
      for (let index = 0; index <= text.length; index += 1) {
        const code = text.charCodeAt(index);
        if (isLetter(code)) {
          if (start === -1) [start, high, low] = [index, highSeed, lowSeed];
          mix(code);
        } else if (start !== -1) {
          if (table[slotOfHash() * 2 + 1] === 0) found.add(text.slice(start, index));
          start = -1;
        }
      }
    },
    add(value) {
      const slot = slotOf(value);
      if (table[slot * 2 + 1] !== 0) return;
      table[slot * 2] = high;
      table[slot * 2 + 1] = low;
      size += 1;
    },
    clear() {
      table.fill(0);
      size = 0;
    },
  };
}
