import { gunzipped, isGzip, type UnpackBudget } from './gunzip.ts';
import { type SkipReason, whereIn } from './importer.ts';
import type { ArchiveEntry, ArchiveReader, LeftOut } from './open-archive.ts';
import { peek } from './peek.ts';
import { toUtf8 } from './utf16.ts';

/** An entry as it is stored: perhaps packed, and in any encoding. */
export interface StoredEntry extends ArchiveEntry {
  tail(bytes: number): Promise<Buffer>;
}

export type StoredArchive = Omit<ArchiveReader, 'entries' | 'leftOut'> & {
  entries: readonly StoredEntry[];
  leftOut: readonly LeftOut[];
};

const GZIP_NAME = /\.gz$/i;
/** How far text is packed, where the file does not say it. */
const USUAL_RATIO = 4;
const MAX_LEFT_OUT = 10_000;

/**
 * The same archive as importers read it: whatever is packed with gzip is unpacked and without `.gz` in its name, and
 * UTF-16 is UTF-8. Both are decided by the content, when a file is read.
 */
export async function decodedArchive(stored: StoredArchive, budget: UnpackBudget): Promise<ArchiveReader> {
  const leftOut = [...stored.leftOut];
  const noted = new Set<string>();
  const sizes = new Map(stored.entries.map(({ name, size }) => [name, size]));
  const entries: ArchiveEntry[] = [];

  function note(why: SkipReason, where: string): void {
    if (noted.has(`${why} ${where}`) || leftOut.length >= MAX_LEFT_OUT) return;
    noted.add(`${why} ${where}`);
    leftOut.push({ why, where });
  }

  const decoding = { budget, note };
  for (const entry of stored.entries) {
    const plain = entry.name.replace(GZIP_NAME, '');
    const isPacked = plain !== entry.name && !/(?:^|\/)$/.test(plain);
    const isBesidePlain = isPacked && sizes.has(plain);
    // The end of a file in a zip is found only by reading all of it.
    const size = isPacked && (stored.kind !== 'zip' || isBesidePlain) ? await unpackedSize(entry) : undefined;
    // Mailman keeps each month twice.
    if (isBesidePlain && sizes.get(plain) === size) note('packed_twice', whereIn(entry.name));
    else {
      const name = isPacked && !isBesidePlain ? plain : entry.name;
      const shown = isPacked ? (size ?? entry.size * USUAL_RATIO) : entry.size;
      entries.push(new DecodedEntry(entry, { name, size: shown }, decoding));
    }
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...stored, entries, leftOut };
}

interface Decoding {
  budget: UnpackBudget;
  note(why: SkipReason, where: string): void;
}

/** See `FileEntry`. */
class DecodedEntry implements ArchiveEntry {
  readonly name: string;
  readonly size: number;
  readonly #stored: StoredEntry;
  readonly #decoding: Decoding;

  constructor(stored: StoredEntry, { name, size }: { name: string; size: number }, decoding: Decoding) {
    this.name = name;
    this.size = size;
    this.#stored = stored;
    this.#decoding = decoding;
  }

  read(): AsyncGenerator<Buffer> {
    const { budget, note } = this.#decoding;
    const packed = unpacked(this.#stored.read(), budget.forEntry(this.#stored.name));
    return toUtf8(packed, () => note('undecoded', whereIn(this.name)));
  }
}

async function* unpacked(
  packed: AsyncIterable<Buffer>,
  unpack: ReturnType<UnpackBudget['forEntry']>,
): AsyncGenerator<Buffer> {
  const { head, all } = await peek(packed, 3);
  yield* isGzip(head) ? gunzipped(all, unpack) : all;
}

/** The last four bytes of a gzip file are the size of its content, if it has one member. */
async function unpackedSize(entry: StoredEntry): Promise<number | undefined> {
  const end = entry.size >= MIN_GZIP ? await entry.tail(4).catch(() => undefined) : undefined;
  return end?.length === 4 ? end.readUInt32LE() : undefined;
}

const MIN_GZIP = 18;
