import type { UidRange } from '../../mail-connector.ts';

/** The largest UID there can be. */
export const MAX_UID = 4_294_967_295;
/** Servers may refuse longer lines (RFC 7162, section 4). */
const MAX_SET_LENGTH = 4_000;

/** `1:3,7` for 1, 2, 3 and 7. */
export function uidSet(uids: readonly number[]): string {
  return rangesOf(uids).map(asText).join(',');
}

/** Sets that are short enough for one command each, ascending and without duplicates. */
export function uidSets(uids: readonly number[]): { set: string; uids: readonly number[] }[] {
  const sets: { set: string; uids: number[] }[] = [];
  for (const range of rangesOf(uids)) {
    const text = asText(range);
    const last = sets.at(-1);
    if (last && last.set.length + text.length < MAX_SET_LENGTH) {
      last.set += `,${text}`;
      last.uids.push(...numbersIn(range));
    } else {
      sets.push({ set: text, uids: numbersIn(range) });
    }
  }
  return sets;
}

/** The numbers of a set that a server sent, ascending; undefined if it is not one, or has more than `most`. */
export function numbersOf(set: string, most: number): number[] | undefined {
  const numbers = new Set<number>();
  for (const element of set.split(',')) {
    const match = /^(\d{1,10})(?::(\d{1,10}))?$/.exec(element);
    if (!match) return undefined;
    const [first, second] = [Number(match[1]), Number(match[2] ?? match[1])];
    const [from, to] = first < second ? [first, second] : [second, first];
    if (from < 1 || to > MAX_UID || numbers.size + to - from + 1 > most) return undefined;
    for (let number = from; number <= to; number += 1) numbers.add(number);
  }
  return [...numbers].sort((a, b) => a - b);
}

/** A range as a command takes it; undefined if there is nothing in it. */
export function rangeText({ from, to }: UidRange): string | undefined {
  const [first, last] = [Math.max(1, Math.trunc(from)), Math.min(MAX_UID, Math.trunc(to))];
  return first <= last ? `${first}:${last}` : undefined;
}

function rangesOf(uids: readonly number[]): UidRange[] {
  const ranges: UidRange[] = [];
  for (const uid of [...new Set(uids)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last.to + 1 === uid) last.to = uid;
    else ranges.push({ from: uid, to: uid });
  }
  return ranges;
}

function asText({ from, to }: UidRange): string {
  return from === to ? String(from) : `${from}:${to}`;
}

export function numbersIn({ from, to }: UidRange): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
