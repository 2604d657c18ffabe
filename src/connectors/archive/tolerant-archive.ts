import { AppError } from '../../domain/errors.ts';
import { whereIn } from './importer.ts';
import type { ArchiveEntry, ArchiveReader, LeftOut } from './open-archive.ts';

interface TolerantArchive {
  archive: ArchiveReader;
  /** What was left out so far. */
  leftOut(): readonly LeftOut[];
  /** Throws why the first file could not be read, if there is one. */
  throwFailure(): void;
}

/** An archive of which one damaged file does not prevent the others from being read: it ends where the damage begins. */
export function tolerant(archive: ArchiveReader): TolerantArchive {
  const failures = new Map<string, AppError>();
  const entries = archive.entries.map((entry) => new TolerantEntry(entry, failures));
  return {
    archive: { ...archive, entries },
    leftOut: () => [
      ...(archive.leftOut ?? []),
      ...[...failures.keys()].map((name): LeftOut => ({ why: 'unreadable', where: whereIn(name) })),
    ],
    throwFailure() {
      for (const failure of failures.values()) throw failure;
    },
  };
}

/** See `FileEntry`. */
class TolerantEntry implements ArchiveEntry {
  readonly name: string;
  readonly size: number;
  readonly #entry: ArchiveEntry;
  readonly #failures: Map<string, AppError>;

  constructor(entry: ArchiveEntry, failures: Map<string, AppError>) {
    this.name = entry.name;
    this.size = entry.size;
    this.#entry = entry;
    this.#failures = failures;
  }

  async *read(): AsyncGenerator<Buffer> {
    try {
      yield* this.#entry.read();
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'TOO_LARGE') throw error;
      this.#failures.set(this.name, error);
    }
  }
}
