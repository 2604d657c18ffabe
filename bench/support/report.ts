import { median } from './rounds.ts';

export interface Contender {
  id: string;
  /** Heading of the column. */
  title: string;
  /** Why nothing is known of it. */
  note?: string | undefined;
}

export interface Measure {
  id: string;
  title: string;
  unit: 's' | 'ms' | 'µs' | '/s' | 'MB' | 'KB' | '×';
  /** Whom ours is compared with, if not with the peer of the whole benchmark. */
  peer?: string;
}

/** The target of a contender in a measure: a multiple of another contender's value, or a value. */
export interface Target {
  measure: string;
  of: string;
  times?: string;
  atMost?: number;
  atLeast?: number;
}

/** One number per round; contenders that were not measured are missing. */
export interface Samples {
  /** Nothing is added if the value is unknown on this system. */
  add(measure: string, contender: string, value: number | undefined): void;
  of(measure: string, contender: string): readonly number[];
}

export function createSamples(): Samples {
  const values = new Map<string, number[]>();
  return {
    add(measure, contender, value) {
      if (value === undefined) return;
      const key = `${measure} ${contender}`;
      values.set(key, [...(values.get(key) ?? []), value]);
    },
    of: (measure, contender) => values.get(`${measure} ${contender}`) ?? [],
  };
}

export interface Row extends Measure {
  /** Medians over the rounds, by contender. */
  values: Record<string, number>;
  /** Ratio of ours to the peer's. */
  ratio?: number;
}

export interface Judgement extends Target {
  value: number;
  met: boolean;
}

export interface Report {
  contenders: readonly Contender[];
  rows: readonly Row[];
  judgements: readonly Judgement[];
  layout: Layout;
}

/** Contenders are in columns unless there are too many of them. */
export type Layout = 'contenders in columns' | 'contenders in rows';

export function summarize(
  samples: Samples,
  {
    contenders,
    measures,
    targets,
    ours,
    peer,
    layout = 'contenders in columns',
  }: {
    contenders: readonly Contender[];
    measures: readonly Measure[];
    targets: readonly Target[];
    /** Whose ratio to its peer is shown. */
    ours?: string;
    peer?: string;
    layout?: Layout;
  },
): Report {
  const rows = measures.map((measure) => {
    const ratio = ratioOf(samples.of(measure.id, ours ?? ''), samples.of(measure.id, measure.peer ?? peer ?? ''));
    const values = contenders.flatMap(({ id }) => {
      const rounds = samples.of(measure.id, id);
      return rounds.length === 0 ? [] : [[id, median(rounds)] as const];
    });
    return { ...measure, values: Object.fromEntries(values), ...(ratio === undefined ? {} : { ratio }) };
  });
  return {
    contenders,
    rows: rows.filter(({ values }) => Object.keys(values).length > 0),
    judgements: targets.flatMap((target) => judge(samples, target)),
    layout,
  };
}

function judge(samples: Samples, target: Target): Judgement[] {
  const own = samples.of(target.measure, target.of);
  if (own.length === 0) return [];
  const value = target.times === undefined ? median(own) : ratioOf(own, samples.of(target.measure, target.times));
  return value === undefined ? [] : [{ ...target, value, met: isMet(target, value) }];
}

function isMet({ atMost = Number.POSITIVE_INFINITY, atLeast = 0 }: Target, value: number): boolean {
  return value <= atMost && value >= atLeast;
}

/** The median of the rounds' ratios: what affects a whole round cancels out. */
function ratioOf(ours: readonly number[], others: readonly number[]): number | undefined {
  const ratios = ours.flatMap((value, round) => {
    const other = others[round];
    return other === undefined || other === 0 ? [] : [value / other];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}
