import { hash } from 'node:crypto';

/**
 * Counts by text. Of each text it keeps 60 bits of SHA-256 in typed arrays: some twenty bytes where a Map of strings takes two
 * hundred.
 */
export interface DigestMap {
  /** Number of texts in it. */
  readonly size: number;
  get(digest: string): number | undefined;
  set(digest: string, value: number): void;
}

const FIRST_SLOTS = 256;
/** High half, low half and value plus one of each slot; zero marks a free one. */
const WORDS = 3;
const HALF_CHARACTERS = 5;

/** The key of a text. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** Keys are digests of `digestOf`. */
export function createDigestMap(): DigestMap {
  let slotCount = FIRST_SLOTS;
  let table = new Uint32Array(slotCount * WORDS);
  let size = 0;

  /** The first word of the slot of a key, or of the free slot for it. */
  function slotOf(high: number, low: number): number {
    let slot = low & (slotCount - 1);
    for (;;) {
      const at = slot * WORDS;
      if (table[at + 2] === 0 || (table[at] === high && table[at + 1] === low)) return at;
      slot = (slot + 1) & (slotCount - 1);
    }
  }

  function put(high: number, low: number, value: number): void {
    const at = slotOf(high, low);
    if (table[at + 2] === 0) size += 1;
    table[at] = high;
    table[at + 1] = low;
    table[at + 2] = value;
  }

  function grow(): void {
    const old = table;
    slotCount *= 2;
    table = new Uint32Array(slotCount * WORDS);
    size = 0;
    for (let at = 0; at < old.length; at += WORDS) {
      const [high = 0, low = 0, value = 0] = [old[at], old[at + 1], old[at + 2]];
      if (value !== 0) put(high, low, value);
    }
  }

  return {
    get size() {
      return size;
    },
    get(digest) {
      const value = table[slotOf(half(digest, 0), half(digest, HALF_CHARACTERS)) + 2] ?? 0;
      return value === 0 ? undefined : value - 1;
    },
    set(digest, value) {
      if (size * 2 >= slotCount) grow();
      put(half(digest, 0), half(digest, HALF_CHARACTERS), value + 1);
    },
  };
}

/** 30 bits of a digest in base64url. */
function half(digest: string, start: number): number {
  let bits = 0;
  for (let at = start; at < start + HALF_CHARACTERS; at += 1) bits = (bits << 6) | (VALUES[digest.charCodeAt(at)] ?? 0);
  return bits;
}

const VALUES = new Uint8Array(128);
for (const [value, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].entries()) {
  VALUES[character.charCodeAt(0)] = value;
}
