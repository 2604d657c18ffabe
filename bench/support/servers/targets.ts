import type { Measure, Samples, Target } from '../report.ts';
import { median } from '../rounds.ts';
import type { Contender } from './contender.ts';

const HTTP = ['session', 'stateless'] as const;

export function serverTargets(
  contenders: readonly Contender[],
  measures: readonly Measure[],
  samples: Samples,
): Target[] {
  // The work of the servers is not that of the gateways.
  const compared = measures.filter(({ id }) => id !== 'cpu/upstream');
  return [
    { measure: 'p50', of: 'ours-stdio', times: 'direct-stdio', atMost: 4 },
    ...HTTP.flatMap((door): Target[] => [
      { measure: 'p50', of: `ours-${door}`, times: `direct-${door}`, atMost: 1 },
      { measure: 'rate/64', of: `ours-${door}`, times: `direct-${door}`, atLeast: 2.5 },
      { measure: 'cpu/64', of: `ours-${door}`, times: `direct-${door}`, atMost: 0.4 },
      { measure: 'rss/many', of: `ours-${door}`, atMost: 100 },
    ]),
    ...contenders
      .filter(({ kind }) => kind === 'ours')
      .flatMap((ours): Target[] => [
        { measure: 'cached/growth', of: ours.id, atMost: 1.2 },
        ...compared.flatMap((measure) => aheadOfAll(ours, measure, contenders, samples)),
      ]),
  ];
}

/** Against the best gateway of others with the same kind of door. */
function aheadOfAll(
  ours: Contender,
  { id, unit }: Measure,
  contenders: readonly Contender[],
  samples: Samples,
): Target[] {
  const isMoreBetter = unit === '/s';
  const [best] = contenders
    .filter((peer) => peer.kind === 'peer' && samples.of(id, peer.id).length > 0 && groupOf(peer) === groupOf(ours))
    .map((peer) => ({ peer, value: median(samples.of(id, peer.id)) }))
    .sort((a, b) => (isMoreBetter ? b.value - a.value : a.value - b.value));
  if (!best) return [];
  return [{ measure: id, of: ours.id, times: best.peer.id, ...(isMoreBetter ? { atLeast: 1 } : { atMost: 1 }) }];
}

/** Those that are compared with each other run at the same time. */
export function groupOf({ door }: Contender): string {
  return door === 'sse' ? 'session' : door;
}
