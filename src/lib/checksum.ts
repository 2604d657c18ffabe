/** The beginning and the factor of FNV-1a for 64 bits, as halves of 32; the factor has only one bit in its upper half. */
const OFFSET = { high: 0xcbf29ce4, low: 0x84222325 };
const PRIME_LOW = 0x1b3;
const PRIME_HIGH_SHIFT = 8;
const HALF = 2 ** 32;

/** Detects accidental changes of a text (FNV-1a, 64 bits); no protection against deliberate ones. */
export function checksum(text: string): string {
  let { high, low } = OFFSET;
  for (const byte of Buffer.from(text)) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * PRIME_LOW;
    high = (high * PRIME_LOW + Math.floor(product / HALF) + ((mixed << PRIME_HIGH_SHIFT) >>> 0)) % HALF;
    low = product % HALF;
  }
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
}
