const SYLLABLES = [
  'b',
  'br',
  'd',
  'f',
  'g',
  'h',
  'k',
  'l',
  'm',
  'n',
  'p',
  'pr',
  'r',
  's',
  'st',
  't',
  'tr',
  'v',
  'w',
  'z',
].flatMap((onset) => ['a', 'e', 'i', 'o', 'u', 'ai', 'er', 'in'].map((rime) => onset + rime));

/** The word of this rank: 0 is the most common one. Common words are short, as in natural languages. */
export function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank; ; rest = Math.floor(rest / SYLLABLES.length) - 1) {
    word += SYLLABLES[(rest * 67 + 31) % SYLLABLES.length];
    if (rest < SYLLABLES.length) return word;
  }
}

export function cjkWordOf(rank: number): string {
  const character = (number: number) => String.fromCodePoint(0x4e00 + ((number * 7_919) % 6_000));
  return rank < 500 ? character(rank) : character(rank) + character(rank * 31 + 7);
}

/** Ranks by the Zipf–Mandelbrot law, for numbers from 0 to 1. */
export function zipf(count: number, offset: number): (random: number) => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + 1 + offset);
    sums[rank] = sum;
  }
  return (random) => firstAbove(sums, random * sum);
}

function firstAbove(sums: Float64Array, wanted: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Mulberry32: small, fast, and good enough to generate text. */
export function randomFrom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** One of these by their shares, for numbers from 0 to 1. */
export function byShare<T extends { share: number }>(values: readonly T[], random: number): T {
  let rest = random * values.reduce((sum, { share }) => sum + share, 0);
  const found = values.find(({ share }) => {
    rest -= share;
    return rest < 0;
  });
  return found ?? (values.at(-1) as T);
}
