import { median } from './rounds.ts';

export interface Contestant {
  id: string;
  /** Heading of its column. */
  title: string;
}

export interface Measure {
  id: string;
  title: string;
  unit: 'ms' | 'µs' | '/s' | 'MB' | '×';
}

/** What one contestant is to reach in a measure: so many times the value of another one, or a value of its own. */
export interface Target {
  measure: string;
  of: string;
  atMost: number;
  times?: string;
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
      if (value === undefined) return;
      const key = `${measure} ${contestant}`;
      values.set(key, [...(values.get(key) ?? []), value]);
    },
    of: (measure, contestant) => values.get(`${measure} ${contestant}`) ?? [],
  };
}

export interface Row extends Measure {
  /** Medians over the rounds, by contestant. */
  values: Record<string, number>;
  /** Ours to the peer's. */
  ratio?: number;
}

export interface Judgement extends Target {
  value: number;
  met: boolean;
}

export interface Report {
  contestants: readonly Contestant[];
  rows: readonly Row[];
  judgements: readonly Judgement[];
}

export function summarize(
  samples: Samples,
  {
    contestants,
    measures,
    targets,
    ours,
    peer,
  }: {
    contestants: readonly Contestant[];
    measures: readonly Measure[];
    targets: readonly Target[];
    ours: string;
    peer: string;
  },
): Report {
  const rows = measures.map((measure) => {
    const ratio = ratioOf(samples.of(measure.id, ours), samples.of(measure.id, peer));
    const values = contestants.flatMap(({ id }) => {
      const rounds = samples.of(measure.id, id);
      return rounds.length === 0 ? [] : [[id, median(rounds)] as const];
    });
    return { ...measure, values: Object.fromEntries(values), ...(ratio === undefined ? {} : { ratio }) };
  });
  return {
    contestants,
    rows: rows.filter(({ values }) => Object.keys(values).length > 0),
    judgements: targets.flatMap((target) => judge(samples, target)),
  };
}

function judge(samples: Samples, target: Target): Judgement[] {
  const own = samples.of(target.measure, target.of);
  if (own.length === 0) return [];
  const value = target.times === undefined ? median(own) : ratioOf(own, samples.of(target.measure, target.times));
  return value === undefined ? [] : [{ ...target, value, met: value <= target.atMost }];
}

/** The middle one of the rounds' ratios: what hit a whole round cancels out. */
function ratioOf(ours: readonly number[], others: readonly number[]): number | undefined {
  const ratios = ours.flatMap((value, round) => {
    const other = others[round];
    return other === undefined || other === 0 ? [] : [value / other];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}
