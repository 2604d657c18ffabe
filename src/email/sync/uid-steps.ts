import type { UidRange } from '../../connectors/mail-connector.ts';

/** Emails that are fetched together; how far the folder is stored is saved afterwards. */
export interface Step {
  uids: readonly number[];
  /** What is stored then: all from it on, or all below it. */
  bound: number;
}

const STEP = 5_000;
/** The newest emails are there soon; each step costs requests, so the following ones are larger. */
const FIRST_STEP = 200;
const GROWTH = 5;
/** Fewer UIDs than this between two wanted ones are asked for, too: most do not exist. */
const MAX_HOLE = 100;

/** `older`: from the newest to the oldest, each step ascending. `newer`: ascending. */
export function stepsOf(
  uids: readonly number[],
  { from, to, direction }: UidRange & { direction: 'older' | 'newer' },
  { first, most } = { first: FIRST_STEP, most: STEP },
): Step[] {
  const steps: Step[] = [];
  let size = direction === 'newer' ? most : first;
  let taken = 0;
  do {
    const end = Math.min(taken + size, uids.length);
    const isLast = end === uids.length;
    if (direction === 'newer') {
      const some = uids.slice(taken, end);
      steps.push({ uids: some, bound: (isLast ? to : (some.at(-1) ?? to)) + 1 });
    } else {
      const some = uids.slice(uids.length - end, uids.length - taken);
      steps.push({ uids: some, bound: isLast ? from : (some[0] ?? from) });
    }
    taken = end;
    size = Math.min(size * GROWTH, most);
  } while (taken < uids.length);
  return steps;
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
