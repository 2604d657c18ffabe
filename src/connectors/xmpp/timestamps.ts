/** Clocks that differ by more than this are wrong, and nothing is made of that. */
const MAX_MS = 5 * 60_000;

/**
 * A place in an archive: the archive's id, and when we believe that it was said. What comes after it in the archive was not
 * said before that, though archives may know whole seconds only and have another clock than we.
 */
export interface ArchivePosition {
  id: string;
  at?: number;
}

export function toCursor({ id, at }: Required<ArchivePosition>): string {
  return `${at}:${id}`;
}

export function fromCursor(cursor: string): ArchivePosition {
  const [, at, id] = /^(\d{1,15}):(.*)$/s.exec(cursor) ?? [];
  return at === undefined || id === undefined ? { id: cursor } : { id, at: Number(at) };
}

/** The timestamp of something that comes after what was said at `before`: no earlier than that. */
export function notBefore(at: number, before: number | undefined): number {
  return before !== undefined && before > at && before - at <= MAX_MS ? before : at;
}

/** Moments of a run of messages, each not before the one before it. */
export function inOrder(timestamps: readonly number[], before?: number): number[] {
  let last = before;
  return timestamps.map((timestamp) => {
    last = notBefore(timestamp, last);
    return last;
  });
}

/** What is the latest in each timeline, so that what happens now comes after it. */
export function createLatest() {
  const latest = new Map<string, number>();
  return {
    note(timeline: string, at: number): void {
      latest.set(timeline, Math.max(at, latest.get(timeline) ?? at));
    },
    of: (timeline: string): number | undefined => latest.get(timeline),
  };
}

export type LatestTimestamps = ReturnType<typeof createLatest>;
