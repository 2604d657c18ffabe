import type { Clock } from '../../lib/clock.ts';
import type { DeliveryState } from '../delivery/delivery-state.ts';
import { stoppedWords } from '../delivery/loop-guard.ts';
import { unwokenText } from '../delivery/unwoken-reason.ts';
import type { Letter } from '../letter.ts';
import { changePresence } from '../mailbox/recipients-file.ts';
import type { ReadMailbox } from '../mailbox/unread-reader.ts';
import { type Agent, servedAgents, unreadOf } from './agents.ts';
import { type BounceParts, bounceLetters } from './bounce.ts';
import { dueIn } from './due.ts';
import { type HeldAgent, heldAfter, pauseOf, retryIn } from './held-agent.ts';
import type { SessionsView } from './sessions.ts';
import { showToPeople } from './tell-human.ts';
import { type Woken, wake } from './wake.ts';

/** Longest time until the next round, without any event. */
const SWEEP_MS = 60_000;
/** How often it is checked whether a screen has changed on which typing failed. */
const LEFT_ALONE_MS = 10_000;
const MAX_REMEMBERED = 10_000;
/** A stop that may not have been shown is shown by the next mailman too. */
const STOPS_LAST_MS = 10 * 60_000;

export interface RoundParts {
  main: string;
  state: DeliveryState;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  /** Reads the unread letters of a mailbox. */
  read: ReadMailbox;
  log(line: string): void;
}

/** What a mailman remembers between rounds. A restart loses it. */
export interface MailmanState {
  /** When an agent was notified of letters that have no stored state. */
  announced: Map<string, number>;
  /** Agents that could not be notified, by their window. */
  held: Map<string, HeldAgent>;
  /** Outcomes of bounces. */
  returned: BounceParts['returned'];
  /** Stops up to this timestamp were shown to users. */
  stopsShownUntil: number;
}

export function newMemory(now: number): MailmanState {
  return { announced: new Map(), held: new Map(), returned: new Map(), stopsShownUntil: now - STOPS_LAST_MS };
}

/** Notifies agents that are ready and have mail. Returns the time until the next round. */
export async function makeRound(
  parts: RoundParts,
  view: SessionsView,
  memory: MailmanState,
): Promise<{ againInMs: number }> {
  const { main, state, clock, log } = parts;
  state.sawWindows(
    view.windows.map(({ key, name }) => ({ window: key, name })),
    clock.now(),
  );
  const bounced = await bounceLetters({ main, state, clock, view, returned: memory.returned, warn: log });
  for (const done of bounced.done) log(done);
  await tellOfStops(parts, view, memory);
  const agents = await servedAgents(main, view, state);
  const announced = new Map(state.open().map(({ id, announcedAt }) => [id, announcedAt]));
  // Concurrently: one agent's slow program must not delay the others.
  const waits = await Promise.all(agents.map((agent) => visit(agent, parts, memory, announced)));
  const visited = new Set(agents.map(({ window }) => window.key));
  for (const key of memory.held.keys()) if (!visited.has(key)) memory.held.delete(key);
  storeUnwoken(state, memory.held);
  return { againInMs: Math.min(SWEEP_MS, bounced.againInMs, ...waits) };
}

/** The sending process stops two agents that only answer each other; the mailman shows it to users. */
async function tellOfStops({ state, log }: RoundParts, { alive }: SessionsView, memory: MailmanState): Promise<void> {
  const since = memory.stopsShownUntil;
  for (const { agents, stoppedAt = 0 } of state.exchanges().filter((each) => (each.stoppedAt ?? 0) > since)) {
    const [one = '', other = ''] = agents;
    const words = stoppedWords(one, other);
    log(words);
    memory.stopsShownUntil = Math.max(memory.stopsShownUntil, stoppedAt);
    for (const { socket, id } of alive) await showToPeople(socket, id, words);
  }
}

async function visit(
  agent: Agent,
  parts: RoundParts,
  memory: MailmanState,
  announced: ReadonlyMap<string, number | undefined>,
): Promise<number> {
  const { state, clock } = parts;
  const unread = await unreadOf(agent, state, parts.read);
  const announcedAt = ({ id }: Letter) => latest(announced.get(id), memory.announced.get(id));
  const due = dueIn({ presence: { ...agent.presence, status: 'ready' }, unread, announcedAt }, clock.now());
  if (due !== 0) {
    if (due === undefined) memory.held.delete(agent.window.key);
    return due ?? SWEEP_MS;
  }
  const before = memory.held.get(agent.window.key);
  const pause = before ? pauseOf(before, clock.now()) : 0;
  if (pause > 0) return pause;
  const failedOn = before?.failure?.screen;
  const woken = await wake(agent, unread, { state, env: parts.env, now: clock.now(), failedOn });
  if (woken.kind === 'left-alone') return LEFT_ALONE_MS;
  if (woken.kind !== 'notified') return hold(agent, woken, parts, memory);
  await note(agent, unread, woken.by, parts, memory);
  return SWEEP_MS;
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function hold(
  agent: Agent,
  woken: Extract<Woken, { kind: 'listens' | 'not-notified' }>,
  { clock, log }: RoundParts,
  { held }: MailmanState,
): number {
  const now = clock.now();
  const agentHeld = heldAfter(held.get(agent.window.key), woken, now);
  held.set(agent.window.key, agentHeld);
  const { reason, attempts } = agentHeld;
  const why = reason === undefined ? 'its listener has it' : unwokenText(reason);
  if (attempts === 1) log(`${agent.presence.name} has mail but is not notified: ${why}`);
  return retryIn(agentHeld, now);
}

/** For `agentmail sent`, which runs in other processes. */
function storeUnwoken(state: DeliveryState, held: MailmanState['held']): void {
  const agents = [...held].flatMap(([agent, { reason, since }]) =>
    reason === undefined ? [] : [{ agent, reason, since }],
  );
  if (JSON.stringify(agents) !== JSON.stringify(state.unwoken())) state.keepUnwoken(agents);
}

/** Stored on disk after each success, so that a restarted mailman knows it. */
async function note(
  { presence, folders, window }: Agent,
  unread: readonly Letter[],
  by: string,
  { state, clock, log }: RoundParts,
  { announced, held }: MailmanState,
): Promise<void> {
  const now = clock.now();
  held.delete(window.key);
  if (announced.size > MAX_REMEMBERED) announced.clear();
  for (const { id } of unread) announced.set(id, now);
  state.announced(
    unread.map(({ id }) => id),
    by,
    now,
  );
  log(`notified ${presence.name} of ${unread.length} unread (${by})`);
  for (const folder of folders) {
    // An agent that has started to work in the meantime did not ignore the notice.
    const change = (each: typeof presence) => (each.status === 'ready' ? { ...each, notifiedAt: now } : each);
    await changePresence(folder, [presence.name], change, { now, warn: log });
  }
}
