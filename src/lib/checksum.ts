const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** Tells a text that was changed by mistake (FNV-1a, 64 bits); no defence against somebody who wants to deceive. */
export function checksum(text: string): string {
  let sum = OFFSET;
  for (const byte of Buffer.from(text)) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * PRIME);
  return sum.toString(16).padStart(16, '0');
}
