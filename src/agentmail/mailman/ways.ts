import type { Peer } from '../agent.ts';
import type { Side, Way } from '../side.ts';
import { runsAgentmail } from './own-processes.ts';

/** What a process of an agent knows about how that agent can be woken. */
export interface WakeHints {
  /** The thread of Codex in whose shell it was started. */
  thread?: string;
  /** The process group in front of its terminal. */
  foreground?: number;
}

/** A window is the same agent under whatever name. */
export function wayOf(side: Side, agent: Pick<Peer, 'name' | 'window'>): Way | undefined {
  return side.way(keyOf(agent));
}

/** Adds what is new to what is known. */
export function noteWay(side: Side, agent: Pick<Peer, 'name' | 'window'>, news: Partial<Way>): void {
  const known = side.way(keyOf(agent)) ?? { kind: 'typed', since: 0 };
  const changed = { ...known, ...news };
  if (JSON.stringify(changed) !== JSON.stringify(known)) side.keepWay(keyOf(agent), changed);
}

export function forgetListener(side: Side, agent: Pick<Peer, 'name' | 'window'>, pid: number): void {
  const { pid: known, ...way } = side.way(keyOf(agent)) ?? { kind: 'typed', since: 0 };
  if (known === pid) side.keepWay(keyOf(agent), { ...way, kind: 'typed' });
}

/** Whether a process waits for this agent's mail, to hand it over as soon as it comes. */
export async function hasListener(way: Way | undefined): Promise<boolean> {
  return way?.pid !== undefined && (await runsAgentmail(way.pid, 'wait'));
}

function keyOf({ name, window }: Pick<Peer, 'name' | 'window'>): string {
  return window ?? name;
}
