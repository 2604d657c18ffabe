/** Larger differences between clocks are treated as wrong clocks. */
const MAX_MS = 5 * 60_000;

/**
 * A position in an archive: the archive id and the assumed timestamp. Later entries are never assumed to be earlier,
 * although archives may have a resolution of seconds and another clock.
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

/** Timestamp of an event after `before`: never earlier than that. */
export function notBefore(at: number, before: number | undefined): number {
  return before !== undefined && before > at && before - at <= MAX_MS ? before : at;
}

/** Non-decreasing timestamps of a sequence of messages. */
export function inOrder(timestamps: readonly number[], before?: number): number[] {
  let last = before;
  return timestamps.map((timestamp) => {
    last = notBefore(timestamp, last);
    return last;
  });
}

/** The latest timestamp of each timeline, so that live events come after it. */
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
