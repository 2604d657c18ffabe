import { setTimeout as delay } from 'node:timers/promises';
import type { Measure, Samples } from '../report.ts';
import { roundRobin } from '../rounds.ts';
import type { Contender } from './contender.ts';
import { startTarget } from './target.ts';
import type { Tolerance } from './tolerance.ts';

export interface StartEffort {
  rounds: number;
  /** Starts before those: they fill the disk cache and may store compiled code. */
  firstStarts: number;
  /** How many servers are behind a gateway; one is measured as well. */
  many: number;
}

export function startMeasures(many: number): Measure[] {
  return [
    { id: 'start/one', title: 'start, 1', unit: 'ms' },
    { id: 'start/many', title: `start, ${many}`, unit: 'ms' },
    { id: 'cached/one', title: 'cached, 1', unit: 'ms' },
    { id: 'cached/many', title: `cached, ${many}`, unit: 'ms' },
    { id: 'cached/growth', title: `cached, ${many} to 1`, unit: '×' },
    { id: 'rss/one', title: 'RSS, 1', unit: 'MB' },
    { id: 'rss/many', title: `RSS, ${many}`, unit: 'MB' },
  ];
}

/** Frequent requests while the servers start would leave garbage. */
const PATIENT_MS = 300;
/** Until what a start leaves to do is done. */
const SETTLING_MS = 500;

interface Parts {
  echo: string;
  tolerate: Tolerance;
}

/** From the start of the program to the complete list of tools. */
export async function measureStarts(
  contenders: readonly Contender[],
  { echo, tolerate, rounds, firstStarts, many }: StartEffort & Parts,
  samples: Samples,
): Promise<void> {
  await roundRobin(firstStarts + rounds, contenders, (contender, round) =>
    tolerate(contender, async () => {
      const add = (measure: string, value: number | undefined) =>
        round >= firstStarts && samples.add(measure, contender.id, value);
      const again: number[] = [];
      for (const { size, upstreams } of sizesOf(contender, many)) {
        add(`start/${size}`, await startOnce(contender, echo, { upstreams }));
        if (contender.kind !== 'ours') continue;
        const ms = await startOnce(contender, echo, { upstreams, isKnown: true });
        add(`cached/${size}`, ms);
        again.push(ms);
      }
      const [one, more] = again;
      if (one !== undefined && more !== undefined) add('cached/growth', more / one);
    }),
  );
}

async function startOnce(
  contender: Contender,
  echo: string,
  setting: { upstreams: number; isKnown?: boolean },
): Promise<number> {
  const target = await startTarget(contender, echo, setting);
  await target.close();
  return target.listedMs;
}

/** Memory of a gateway that has been asked for its tools, and for nothing else. */
export async function measureMemory(
  contenders: readonly Contender[],
  { echo, tolerate, rounds, many }: Pick<StartEffort, 'rounds' | 'many'> & Parts,
  samples: Samples,
): Promise<void> {
  await roundRobin(rounds, contenders, (contender) =>
    tolerate(contender, async () => {
      for (const { size, upstreams } of sizesOf(contender, many)) {
        const target = await startTarget(contender, echo, { upstreams, retryMs: PATIENT_MS });
        await delay(SETTLING_MS);
        samples.add(`rss/${size}`, contender.id, target.rssMb());
        await target.close();
      }
    }),
  );
}

function sizesOf({ isForMany }: Contender, many: number) {
  const sizes = [
    { size: 'one', upstreams: 1 },
    { size: 'many', upstreams: many },
  ] as const;
  return isForMany ? sizes : sizes.slice(0, 1);
}
