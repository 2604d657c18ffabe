import type { DeliveryState } from '../delivery/delivery-state.ts';
import { noteWakeMethod, wakeMethodOf } from '../delivery/wake-methods.ts';
import type { Letter } from '../letter.ts';
import { type Foreground, foregroundOf } from '../tmux/foreground.ts';
import { viewPane } from '../tmux/pane-view.ts';
import type { Agent } from './agents.ts';
import { isCodexTerminal, queueForCodex } from './codex.ts';
import { runsAgentmail } from './own-processes.ts';
import { typeNotice } from './typing.ts';

/** What became of the attempt to tell an agent of its mail. */
export type Woken = { kind: 'told'; by: 'codex' | 'typed' } | { kind: 'listens' } | { kind: 'not told'; why: string };

export interface WakeParts {
  state: DeliveryState;
  env: NodeJS.ProcessEnv;
  now: number;
}

/** A listener hands mail over in a moment. One that does not is not waited for. */
const LISTENER_HAS_MS = 15_000;

/** Tells an agent of its mail: by its own way where it has one, and by typing where it has none. */
export async function wake(agent: Agent, unread: readonly Letter[], { state, env, now }: WakeParts): Promise<Woken> {
  const wakeMethod = wakeMethodOf(state, agent.at.me);
  const isHeard = wakeMethod?.pid !== undefined && (await runsAgentmail(wakeMethod.pid, 'wait'));
  if (isHeard && now - oldest(unread) < LISTENER_HAS_MS) return { kind: 'listens' };
  const front = await frontOf(agent);
  if (!front) return { kind: 'not told', why: 'nothing is known of the program in its window' };
  // Whoever learns next that it began to work knows from this that it was not a person who made it.
  const onSubmit = () => noteWakeMethod(state, agent.at.me, { since: Date.now() });
  if (wakeMethod?.thread !== undefined && isCodexTerminal(front.program.name, front.program.command)) {
    onSubmit();
    const { queued } = await queueForCodex(wakeMethod.thread, env);
    if (queued) return { kind: 'told', by: 'codex' };
  }
  const { socket } = agent.window;
  const { foreground } = wakeMethod ?? {};
  const typed = await typeNotice({
    socket,
    pane: front.pane,
    onSubmit,
    ...(foreground === undefined ? {} : { foreground }),
  });
  return typed.kind === 'typed' ? { kind: 'told', by: 'typed' } : { kind: 'not told', why: typed.why };
}

/** The pane of a window in which its agent is: where an agent's program is in front, and else the one that is shown. */
async function frontOf({ window }: Agent): Promise<{ pane: string; program: Foreground } | undefined> {
  const panes = window.panes
    .filter(({ isDead }) => !isDead)
    .toSorted((a, b) => Number(b.isActive) - Number(a.isActive));
  const found = await Promise.all(
    panes.map(async ({ id }) => {
      const view = await viewPane(window.socket, id);
      return { pane: id, program: view && (await foregroundOf(view)) };
    }),
  );
  const known = found.flatMap(({ pane, program }) => (program ? [{ pane, program }] : []));
  return known.find(({ program }) => program.kind === 'agent') ?? known[0];
}

function oldest(letters: readonly Letter[]): number {
  return Math.min(...letters.map(({ createdAt = '' }) => Date.parse(createdAt) || 0));
}
