/**
 * A set of strings that stores 63 bits of a hash instead of the string. The hash is seeded per set, so that a sender
 * cannot construct collisions; accidental ones among a million strings are negligible.
 */
export interface HashedSet {
  /** Number of strings in the set. */
  readonly size: number;
  has(value: string): boolean;
  /** Whether it has the part of a text between these offsets. */
  hasPart(text: string, start: number, end: number): boolean;
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
  function slotOf(value: string, start = 0, end = value.length): number {
    high = highSeed;
    low = lowSeed;
    for (let index = start; index < end; index += 1) {
      const code = value.charCodeAt(index);
      high = Math.imul(high ^ code, 0x01000193);
      low = Math.imul(low ^ code, 0x85ebca6b) ^ (low >>> 15);
    }
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
    hasPart: (text, start, end) => table[slotOf(text, start, end) * 2 + 1] !== 0,
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
