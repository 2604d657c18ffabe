import type { ArchiveEntry } from './open-archive.ts';

/** The first bytes of a file. */
export async function beginningOf(entry: ArchiveEntry, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of entry.read()) {
    pieces.push(piece);
    length += piece.length;
    if (length >= bytes) break;
  }
  return Buffer.concat(pieces).subarray(0, bytes);
}
