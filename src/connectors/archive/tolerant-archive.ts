import { AppError } from '../../domain/errors.ts';
import { whereIn } from './importer.ts';
import type { ArchiveReader, LeftOut } from './open-archive.ts';

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
  const entries = archive.entries.map(({ name, size, read }) => ({
    name,
    size,
    async *read() {
      try {
        yield* read();
      } catch (error) {
        if (!(error instanceof AppError) || error.code === 'TOO_LARGE') throw error;
        failures.set(name, error);
      }
    },
  }));
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
