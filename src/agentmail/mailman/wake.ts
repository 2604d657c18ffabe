import type { DeliveryState } from '../delivery/delivery-state.ts';
import { noteWakeMethod, wakeMethodOf } from '../delivery/wake-methods.ts';
import type { Letter } from '../letter.ts';
import { type Foreground, foregroundOf } from '../tmux/foreground.ts';
import { viewPane } from '../tmux/pane-view.ts';
import type { Agent } from './agents.ts';
import { isCodexTerminal, queueForCodex } from './codex.ts';
import { runsAgentmail } from './own-processes.ts';
import { typeNotice } from './typing.ts';

/** Outcome of the attempt to notify an agent of its mail. */
export type Woken =
  | { kind: 'notified'; by: 'codex' | 'typed' }
  | { kind: 'listens' }
  | { kind: 'not-notified'; why: string };

export interface WakeParts {
  state: DeliveryState;
  env: NodeJS.ProcessEnv;
  now: number;
}

/** A listener delivers mail immediately. After this time it is not waited for. */
const LISTENER_TIMEOUT_MS = 15_000;

/** Notifies an agent of its mail: by its own wake method if it has one, otherwise by typing. */
export async function wake(agent: Agent, unread: readonly Letter[], { state, env, now }: WakeParts): Promise<Woken> {
  const wakeMethod = wakeMethodOf(state, agent.at.me);
  const hasListener = wakeMethod?.pid !== undefined && (await runsAgentmail(wakeMethod.pid, 'wait'));
  if (hasListener && now - oldest(unread) < LISTENER_TIMEOUT_MS) return { kind: 'listens' };
  const front = await frontOf(agent);
  if (!front) return { kind: 'not-notified', why: 'the foreground program of its window is unknown' };
  // If the agent begins to work soon after this, it is because of the notice.
  const onSubmit = () => noteWakeMethod(state, agent.at.me, { since: Date.now() });
  if (wakeMethod?.thread !== undefined && isCodexTerminal(front.program.name, front.program.command)) {
    onSubmit();
    const { queued } = await queueForCodex(wakeMethod.thread, env);
    if (queued) return { kind: 'notified', by: 'codex' };
  }
  const { socket } = agent.window;
  const { foreground } = wakeMethod ?? {};
  const typed = await typeNotice({
    socket,
    pane: front.pane,
    onSubmit,
    ...(foreground === undefined ? {} : { foreground }),
  });
  return typed.kind === 'typed' ? { kind: 'notified', by: 'typed' } : { kind: 'not-notified', why: typed.why };
}

/** The pane with the agent: the one with an agent's program in the foreground, otherwise the active one. */
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
