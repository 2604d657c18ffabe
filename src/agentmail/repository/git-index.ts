/** Git's index: https://git-scm.com/docs/index-format */

const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner and size. */
const STAT_BYTES = 40;
const INODE_AT = 20;
const SIZE_AT = 36;
const FLAG_BYTES = 2;
const EXTENDED = 0x4000;
const NUL = 0;

/** A file in the index, with what git knew of it when it wrote or added it. */
export interface IndexEntry {
  /** Its bytes as Latin-1. */
  path: string;
  /** The last 32 bits; 0 where git does not record it. */
  inode: number;
  /** The last 32 bits. */
  size: number;
  /** Of its content, in hexadecimal. */
  hash: string;
}

export interface IndexEntries {
  entries: IndexEntry[];
  /** Whether everything up to `until` was read: false if more bytes are needed. */
  isComplete: boolean;
}

/**
 * The entries in the beginning of an index up to and including `until`, as far as these bytes reach. Undefined if they
 * are no index. Entries are sorted by their bytes, so that a prefix of the file is enough for paths that sort early.
 */
export function entriesOfIndex(
  bytes: Buffer,
  { until, hashBytes }: { until: string; hashBytes: number },
): IndexEntries | undefined {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const entries: IndexEntry[] = [];
  let start = HEADER_BYTES;
  let previous = '';
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const entry = entryAt(bytes, start, { version, hashBytes, previous });
    if (entry === 'malformed') return undefined;
    if (entry === 'cut') return { entries, isComplete: false };
    // An entry of a split index that replaces one of the shared index has no path.
    if (entry.path > until) return { entries, isComplete: true };
    if (entry.path !== '') entries.push({ path: entry.path, ...factsAt(bytes, start, hashBytes) });
    previous = entry.path;
    start = entry.end;
  }
  return { entries, isComplete: true };
}

function factsAt(bytes: Buffer, start: number, hashBytes: number): Omit<IndexEntry, 'path'> {
  const hashAt = start + STAT_BYTES;
  return {
    inode: bytes.readUInt32BE(start + INODE_AT),
    size: bytes.readUInt32BE(start + SIZE_AT),
    hash: bytes.toString('hex', hashAt, hashAt + hashBytes),
  };
}

interface EntryForm {
  version: number;
  hashBytes: number;
  previous: string;
}

function entryAt(
  bytes: Buffer,
  start: number,
  { version, hashBytes, previous }: EntryForm,
): { path: string; end: number } | 'cut' | 'malformed' {
  const flagsAt = start + STAT_BYTES + hashBytes;
  if (flagsAt + FLAG_BYTES > bytes.length) return 'cut';
  const isExtended = (bytes.readUInt16BE(flagsAt) & EXTENDED) !== 0;
  if (isExtended && version < 3) return 'malformed';
  const pathAt = flagsAt + FLAG_BYTES + (isExtended ? 2 : 0);
  if (version === 4) return compressedPath(bytes, pathAt, previous);
  const nul = bytes.indexOf(NUL, pathAt);
  if (nul === -1) return 'cut';
  // Padded with NULs to a multiple of eight bytes.
  const end = start + ((nul - start + 8) & ~7);
  return { path: bytes.toString('latin1', pathAt, nul), end };
}

/** How many characters of the previous path to remove, and what to add to it. */
function compressedPath(
  bytes: Buffer,
  start: number,
  previous: string,
): { path: string; end: number } | 'cut' | 'malformed' {
  let removed = 0;
  let at = start;
  for (let isMore = true; isMore; at++) {
    const byte = bytes[at];
    if (byte === undefined) return 'cut';
    removed = (at === start ? 0 : (removed + 1) * 128) + (byte & 0x7f);
    if (removed > previous.length) return 'malformed';
    isMore = byte >= 0x80;
  }
  const nul = bytes.indexOf(NUL, at);
  if (nul === -1) return 'cut';
  return { path: previous.slice(0, previous.length - removed) + bytes.toString('latin1', at, nul), end: nul + 1 };
}
