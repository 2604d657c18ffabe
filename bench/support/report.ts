import { median } from './rounds.ts';

export interface Contestant {
  id: string;
  /** Heading of its column. */
  title: string;
}

export interface Measure {
  id: string;
  title: string;
  unit: 'ms' | 'µs' | '/s' | 'MB';
  /** At most this many times the peer's value. */
  target?: number;
}

/** One number for each round; a missing contestant did not take part. */
export interface Samples {
  /** Nothing is added where this machine cannot tell. */
  add(measure: string, contestant: string, value: number | undefined): void;
  of(measure: string, contestant: string): readonly number[];
}

export function createSamples(): Samples {
  const values = new Map<string, number[]>();
  return {
    add(measure, contestant, value) {
      if (value === undefined || Number.isNaN(value)) return;
      const key = `${measure} ${contestant}`;
      values.set(key, [...(values.get(key) ?? []), value]);
    },
    of: (measure, contestant) => values.get(`${measure} ${contestant}`) ?? [],
  };
}

export interface Row extends Measure {
  /** Medians over the rounds, by contestant. */
  values: Record<string, number>;
  /** The middle one of the rounds' ratios of ours to the peer's: what hit a whole round cancels out. */
  ratio?: number;
  met?: boolean;
}

export function summarize(
  measures: readonly Measure[],
  contestants: readonly Contestant[],
  samples: Samples,
  { ours, peer }: { ours: string; peer: string },
): Row[] {
  return measures.flatMap((measure) => {
    const values = Object.fromEntries(
      contestants.flatMap(({ id }) => {
        const rounds = samples.of(measure.id, id);
        return rounds.length === 0 ? [] : [[id, median(rounds)]];
      }),
    );
    const ratio = ratioOf(samples.of(measure.id, ours), samples.of(measure.id, peer));
    if (Object.keys(values).length === 0) return [];
    return [
      {
        ...measure,
        values,
        ...(ratio === undefined ? {} : { ratio }),
        ...(ratio === undefined || measure.target === undefined ? {} : { met: ratio <= measure.target }),
      },
    ];
  });
}

function ratioOf(ours: readonly number[], peers: readonly number[]): number | undefined {
  const ratios = ours.flatMap((value, round) => {
    const peer = peers[round];
    return peer === undefined || peer === 0 ? [] : [value / peer];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}

export function formatTable(rows: readonly Row[], contestants: readonly Contestant[]): string {
  const head = ['', ...contestants.map(({ title }) => title), 'ratio', 'target'];
  const body = rows.map((row) => [
    `${row.title}, ${row.unit}`,
    ...contestants.map(({ id }) => inWords(row.values[id])),
    row.ratio === undefined ? '' : `${row.ratio.toFixed(2)} ×`,
    row.target === undefined ? '' : `≤ ${row.target} × ${row.met ? 'met' : 'missed'}`,
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((cells) => (cells[column] ?? '').length)));
  return [head, ...body]
    .map((cells) =>
      cells
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function inWords(value: number | undefined): string {
  if (value === undefined) return '–';
  return value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}
