import type { ArchiveEntry } from './open-archive.ts';

/** Zips directly in a folder, and gzip anywhere, are unpacked before an importer sees their files. */
const PACKED = /\.(?:zip|bz2|xz|lzma|zst|lz4?|7z|rar|tar|Z)$/i;

/** Whether a file is packed in a way that is not read, by its name. */
export function isPacked({ name }: ArchiveEntry): boolean {
  return PACKED.test(name);
}
