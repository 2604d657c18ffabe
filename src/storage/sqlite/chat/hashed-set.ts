/**
 * A set of strings that stores 63 bits of a hash instead of the string. The hash is seeded per set, so that a sender
 * cannot construct collisions; accidental ones among a million strings are negligible.
 */
export interface HashedSet {
  /** Number of strings in the set. */
  readonly size: number;
  has(value: string): boolean;
  /**
   * Adds the words of ASCII letters and digits in an indexed text, in UTF-8, that it does not have. Tokens with other characters,
   * as underscores, are no words.
   */
  findMissing(text: Uint8Array, missing: Set<string>): void;
  add(value: string): void;
  clear(): void;
}

const UNDERSCORE = 0x5f;
/** Kinds of bytes: letters and digits of words, and others that belong to a token. */
const [SEPARATOR, PLAIN, OTHER] = [0, 1, 2];
const KINDS = Uint8Array.from({ length: 0x100 }, (_, code) => {
  if (/[a-z0-9]/.test(String.fromCharCode(code))) return PLAIN;
  return code >= 0x80 || code === UNDERSCORE ? OTHER : SEPARATOR;
});

/** Most words of a text are common ones. Those that were met last are found in memory that is near to the processor. */
const RECENT = 1 << 11;

/** `slotCount` must be a power of two; the set holds up to half as many strings, eight bytes per slot. */
export function createHashedSet(slotCount: number): HashedSet {
  const table = new Int32Array(slotCount * 2);
  const recent = new Int32Array(RECENT * 2);
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

  function isKnown(high: number, low: number): boolean {
    const place = ((high ^ low) & (RECENT - 1)) * 2;
    if (recent[place] === high && recent[place + 1] === low) return true;
    if (table[slotAt(high, low) * 2 + 1] === 0) return false;
    recent[place] = high;
    recent[place + 1] = low;
    return true;
  }

  return {
    get size() {
      return size;
    },
    has: (value) => table[slotOf(value) * 2 + 1] !== 0,
    findMissing(text, missing) {
      const { length } = text;
      for (let index = 0; index < length; index += 1) {
        const start = index;
        let kinds = SEPARATOR;
        let [high, low] = [highSeed, lowSeed];
        while (index < length) {
          const code = text[index] ?? 0;
          const kind = KINDS[code] ?? SEPARATOR;
          if (kind === SEPARATOR) break;
          kinds |= kind;
          high = mixHigh(high, code);
          low = mixLow(low, code);
          index += 1;
        }
        if (kinds === PLAIN && !isKnown(endHigh(high), endLow(low))) missing.add(asciiOf(text, start, index));
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
      recent.fill(0);
      size = 0;
    },
  };
}

function asciiOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

function mixHigh(high: number, code: number): number {
  return Math.imul(high ^ code, 0x01000193);
}

function mixLow(low: number, code: number): number {
  return Math.imul(low ^ code, 0x85ebca6b) ^ (low >>> 15);
}

function endHigh(high: number): number {
  return Math.imul(high ^ (high >>> 15), 0x2c1b3c6d);
}

/** Zero marks a free slot. */
function endLow(low: number): number {
  return Math.imul(low ^ (low >>> 13), 0xc2b2ae35) | 1;
}
