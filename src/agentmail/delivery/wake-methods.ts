import { readFileSync } from 'node:fs';
import type { AgentStatus, Peer } from '../agent.ts';
import type { DeliveryState, WakeMethod } from './delivery-state.ts';

/** What a process of an agent knows about how the agent can be woken. */
export interface WakeHints {
  /** The Codex thread in whose shell it was started. */
  thread?: string;
  /** The process group in the foreground of its terminal. */
  foreground?: number;
}

type Who = Pick<Peer, 'name' | 'window'>;

/** An agent that begins to work so soon after a notice does so because of it. */
const NOTICE_WORKS_MS = 15_000;

/** By the window, whose id does not change when it is renamed. */
export function wakeMethodOf(state: DeliveryState, agent: Who): WakeMethod | undefined {
  return state.wakeMethod(keyOf(agent));
}

/** Merges new facts into what is stored. */
export function noteWakeMethod(state: DeliveryState, agent: Who, news: Partial<WakeMethod>): void {
  const known = wakeMethodOf(state, agent);
  const changed = { kind: 'typed', since: 0, ...known, ...news };
  if (JSON.stringify(changed) !== JSON.stringify(known)) state.keepWakeMethod(keyOf(agent), changed);
}

/** Removes a listener that has exited, unless another one replaced it. */
export function forgetListener(state: DeliveryState, agent: Who, pid: number): void {
  const { pid: known, ...wakeMethod } = wakeMethodOf(state, agent) ?? { kind: 'typed', since: 0 };
  if (known === pid) state.keepWakeMethod(keyOf(agent), { ...wakeMethod, kind: 'typed' });
}

/** Why a status is set. */
export interface StatusReason {
  /** A prompt was submitted to the agent, as its hook reports: by the user, unless our notice was the prompt. */
  isPrompt?: boolean;
}

/**
 * Stores what a status implies: `ready` implies the program in the foreground, a prompt of the user ends exchanges of
 * the loop guard.
 */
export function noteStatus(
  state: DeliveryState,
  agent: Who,
  status: AgentStatus,
  { foreground, isPrompt = false }: WakeHints & StatusReason,
  now: number,
): void {
  if (status === 'ready' && foreground !== undefined) noteWakeMethod(state, agent, { foreground });
  if (status === 'offline') state.dropWakeMethod(keyOf(agent));
  if (status !== 'work' || !isPrompt) return;
  if (now - (wakeMethodOf(state, agent)?.since ?? 0) <= NOTICE_WORKS_MS) return;
  for (const { pair, agents } of state.exchanges()) if (agents.includes(agent.name)) state.dropExchange(pair);
}

/** What this process knows from its environment, and from the terminal that it shares with its agent. */
export function ownHints(env: NodeJS.ProcessEnv): WakeHints {
  const foreground = groupInFront();
  const thread = env.CODEX_THREAD_ID;
  return { ...(thread ? { thread } : {}), ...(foreground === undefined ? {} : { foreground }) };
}

/** Undefined where our own group is in the foreground, as when the user typed the command. */
function groupInFront(): number | undefined {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , group, , , terminalGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(terminalGroup) > 0 && terminalGroup !== group ? Number(terminalGroup) : undefined;
  } catch {
    return undefined;
  }
}

function keyOf({ name, window }: Who): string {
  return window ?? name;
}
