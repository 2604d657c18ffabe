type Labels = Readonly<Record<string, string>>;

interface Sample {
  labels: Labels;
  value: number;
  /** Appended to the family's name: `_bucket`, `_sum`, `_count`. */
  suffix?: string;
}

export interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: readonly Sample[];
}

/** Prometheus text exposition format. */
export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) =>
      [
        `# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(({ labels, value, suffix = '' }) => `${name}${suffix}${labelsOf(labels)} ${numberOf(value)}`),
        '',
      ].join('\n'),
    )
    .join('');
}

export function createCounter() {
  const counts = new Map<string, { labels: Labels; value: number }>();
  return {
    add(labels: Labels): void {
      entryOf(counts, labels, () => ({ labels, value: 0 })).value += 1;
    },
    samples: (): readonly Sample[] => [...counts.values()],
  };
}

export function createHistogram(bounds: readonly number[]) {
  interface Observed {
    labels: Labels;
    /** Number of values per bucket, not cumulative; the last bucket has no upper bound. */
    buckets: number[];
    sum: number;
  }
  const observed = new Map<string, Observed>();
  return {
    observe(labels: Labels, value: number): void {
      const entry = entryOf(observed, labels, () => ({ labels, buckets: [...bounds, 0].fill(0), sum: 0 }));
      const found = bounds.findIndex((bound) => value <= bound);
      const bucket = found < 0 ? bounds.length : found;
      entry.buckets[bucket] = (entry.buckets[bucket] ?? 0) + 1;
      entry.sum += value;
    },
    samples: (): readonly Sample[] => [...observed.values()].flatMap((entry) => histogramSamples(entry, bounds)),
  };
}

function histogramSamples(
  { labels, buckets, sum }: { labels: Labels; buckets: readonly number[]; sum: number },
  bounds: readonly number[],
): readonly Sample[] {
  let count = 0;
  const cumulative = buckets.map((inside, index) => {
    count += inside;
    const le = index < bounds.length ? String(bounds[index]) : '+Inf';
    return { suffix: '_bucket', labels: { ...labels, le }, value: count };
  });
  return [...cumulative, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: count }];
}

function entryOf<T>(entries: Map<string, T>, labels: Labels, create: () => T): T {
  // Runs twice per call, so it avoids JSON, which is much slower. All labels of a family have the same names.
  let key = '';
  for (const name in labels) key += `${labels[name]}\0`;
  const known = entries.get(key);
  if (known) return known;
  const made = create();
  entries.set(key, made);
  return made;
}

function labelsOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escaped)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`;
}

function numberOf(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}
