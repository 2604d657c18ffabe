import { statOf } from '../repository/repository-file.ts';

/** A database file that this process has open with SQLite. */
export interface OpenFile {
  /** The next to open it sets it aside instead. */
  markDamaged(): void;
  remove(): void;
}

export interface OpenFiles {
  /** Whether the file at this path is open, and not another that took its name. */
  has(path: string): boolean;
  /** Whether the file was marked as damaged; the mark is then removed. */
  takeDamage(path: string): boolean;
  add(path: string): OpenFile;
}

/**
 * The locks of SQLite on Unix belong to the process, and closing any descriptor of a file releases all of them: another
 * process would then take itself for the last one and delete the log (https://www.sqlite.org/howtocorrupt.html, 2.2).
 * So a file that is open here must not be opened by anything but SQLite.
 */
export function createOpenFiles(): OpenFiles {
  const counts = new Map<string, number>();
  const damaged = new Set<string>();
  return {
    has: (path) => counts.has(identityOf(path) ?? ''),
    takeDamage: (path) => damaged.delete(identityOf(path) ?? ''),
    add(path) {
      const identity = identityOf(path);
      if (identity === undefined) return { markDamaged() {}, remove() {} };
      counts.set(identity, (counts.get(identity) ?? 0) + 1);
      return {
        markDamaged: () => void damaged.add(identity),
        remove() {
          const others = (counts.get(identity) ?? 1) - 1;
          if (others > 0) counts.set(identity, others);
          else counts.delete(identity);
        },
      };
    },
  };
}

function identityOf(path: string): string | undefined {
  const found = statOf(path);
  // The number alone may be that of a former file.
  return found && `${found.dev}:${found.ino}:${found.birthtimeMs}`;
}
