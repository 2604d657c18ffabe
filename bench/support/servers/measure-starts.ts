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

/** Until what a start leaves to do is done. */
const SETTLING_MS = 500;

/** From the start of the program to the complete list of tools, and its memory some time after. */
export async function measureStarts(
  contenders: readonly Contender[],
  { echo, tolerate, rounds, firstStarts, many }: StartEffort & { echo: string; tolerate: Tolerance },
  samples: Samples,
): Promise<void> {
  const sizes = [
    { size: 'one', upstreams: 1 },
    { size: 'many', upstreams: many },
  ] as const;
  await roundRobin(firstStarts + rounds, contenders, (contender, round) =>
    tolerate(contender, async () => {
      const add = (measure: string, value: number | undefined) =>
        round >= firstStarts && samples.add(measure, contender.id, value);
      const cached: Partial<Record<(typeof sizes)[number]['size'], number>> = {};
      for (const { size, upstreams } of sizes) {
        if (upstreams > 1 && !contender.isForMany) continue;
        const target = await startTarget(contender, echo, { upstreams });
        add(`start/${size}`, target.listedMs);
        await delay(SETTLING_MS);
        add(`rss/${size}`, target.rssMb());
        await target.close();
        if (contender.kind === 'ours') cached[size] = await startAgain(contender, echo, upstreams);
        add(`cached/${size}`, cached[size]);
      }
      if (cached.one !== undefined && cached.many !== undefined) add('cached/growth', cached.many / cached.one);
    }),
  );
}

/** The servers are known from before, and do not run. */
async function startAgain(contender: Contender, echo: string, upstreams: number): Promise<number> {
  const target = await startTarget(contender, echo, { upstreams, isKnown: true });
  await target.close();
  return target.listedMs;
}
