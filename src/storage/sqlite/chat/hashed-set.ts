/**
 * A set of strings that stores 63 bits of a hash instead of the string. The hash is seeded per set, so that a sender
 * cannot construct collisions; accidental ones among a million strings are negligible.
 */
export interface HashedSet {
  /** Number of strings in the set. */
  readonly size: number;
  has(value: string): boolean;
  /**
   * Adds the words of ASCII letters and digits in an indexed text that it does not have. Tokens with other characters, as
   * underscores, are no words.
   */
  findMissing(text: string, missing: Set<string>): void;
  add(value: string): void;
  clear(): void;
}

const [SPACE, UNDERSCORE] = [0x20, 0x5f];

/** `slotCount` must be a power of two; the set holds up to half as many strings, eight bytes per slot. */
export function createHashedSet(slotCount: number): HashedSet {
  const table = new Uint32Array(slotCount * 2);
  const [highSeed = 0, lowSeed = 0] = crypto.getRandomValues(new Int32Array(2));
  let size = 0;

  /** The slot of a string, or the free slot for it. */
  function slotOf(value: string): number {
    let high = highSeed;
    let low = lowSeed;
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      high = mixHigh(high, code);
      low = mixLow(low, code);
    }
    return slotAt(endHigh(high), endLow(low));
  }

  function slotAt(high: number, low: number): number {
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
    findMissing(text, missing) {
      // All in local variables: the hash of a variable outside would be allocated anew for each character.
      let start = -1;
      let isWord = true;
      let high = 0;
      let low = 0;
      for (let index = 0; index <= text.length; index += 1) {
        // A code after the end would be no number, which makes all of them slower.
        const code = index < text.length ? text.charCodeAt(index) : SPACE;
        const isPlain = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
        if (isPlain || code === UNDERSCORE || code >= 0x80) {
          if (start === -1) {
            start = index;
            isWord = true;
            high = highSeed;
            low = lowSeed;
          }
          isWord &&= isPlain;
          high = mixHigh(high, code);
          low = mixLow(low, code);
        } else if (start !== -1) {
          if (isWord && table[slotAt(endHigh(high), endLow(low)) * 2 + 1] === 0) missing.add(text.slice(start, index));
          start = -1;
        }
      }
    },
    add(value) {
      let high = highSeed;
      let low = lowSeed;
      for (let index = 0; index < value.length; index += 1) {
        high = mixHigh(high, value.charCodeAt(index));
        low = mixLow(low, value.charCodeAt(index));
      }
      const slot = slotAt(endHigh(high), endLow(low));
      if (table[slot * 2 + 1] !== 0) return;
      table[slot * 2] = endHigh(high);
      table[slot * 2 + 1] = endLow(low);
      size += 1;
    },
    clear() {
      table.fill(0);
      size = 0;
    },
  };
}

function mixHigh(high: number, code: number): number {
  return Math.imul(high ^ code, 0x01000193);
}

function mixLow(low: number, code: number): number {
  return Math.imul(low ^ code, 0x85ebca6b) ^ (low >>> 15);
}

function endHigh(high: number): number {
  return Math.imul(high ^ (high >>> 15), 0x2c1b3c6d) >>> 0;
}

/** Zero marks a free slot. */
function endLow(low: number): number {
  return (Math.imul(low ^ (low >>> 13), 0xc2b2ae35) | 1) >>> 0;
}
