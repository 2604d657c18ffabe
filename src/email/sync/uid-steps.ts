import type { UidRange } from '../../connectors/mail-connector.ts';

/** Emails that are fetched together; how far the folder is stored is saved afterwards. */
export interface Step {
  uids: readonly number[];
  /** What is stored then: all from it on, or all below it. */
  bound: number;
}

const STEP = 5_000;
/** Fewer UIDs than this between two wanted ones are asked for, too: most do not exist. */
const MAX_HOLE = 100;

/** `older`: from the newest to the oldest, each step ascending. `newer`: ascending. */
export function stepsOf(
  uids: readonly number[],
  { from, to, direction }: UidRange & { direction: 'older' | 'newer' },
  size = STEP,
): Step[] {
  const count = Math.max(1, Math.ceil(uids.length / size));
  return Array.from({ length: count }, (_, index) => {
    const isLast = index === count - 1;
    if (direction === 'newer') {
      const some = uids.slice(index * size, (index + 1) * size);
      return { uids: some, bound: (isLast ? to : (some.at(-1) ?? to)) + 1 };
    }
    const some = uids.slice(Math.max(0, uids.length - (index + 1) * size), uids.length - index * size);
    return { uids: some, bound: isLast ? from : (some[0] ?? from) };
  });
}

/** Few ranges that contain these ascending UIDs, and others between them, but none of `avoided`. */
export function rangesOf(uids: readonly number[], avoided: readonly number[] = []): UidRange[] {
  const ranges: UidRange[] = [];
  for (const uid of uids) {
    const last = ranges.at(-1);
    const isNear = last && uid - last.to < MAX_HOLE && !avoided.some((each) => each > last.to && each < uid);
    if (isNear) last.to = uid;
    else ranges.push({ from: uid, to: uid });
  }
  return ranges;
}
