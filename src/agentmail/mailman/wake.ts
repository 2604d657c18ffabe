import type { DeliveryState } from '../delivery/delivery-state.ts';
import type { UnwokenReason } from '../delivery/unwoken-reason.ts';
import { noteWakeMethod, wakeMethodOf } from '../delivery/wake-methods.ts';
import type { Letter } from '../letter.ts';
import { type Foreground, foregroundOf } from '../tmux/foreground.ts';
import { MAIN_PROMPTS } from '../tmux/main-prompts.ts';
import { viewPane } from '../tmux/pane-view.ts';
import type { Agent } from './agents.ts';
import { isCodexTerminal, queueForCodex } from './codex.ts';
import { runsCommand, startOf } from './own-processes.ts';
import { typeNotice } from './typing.ts';

/** Outcome of the attempt to notify an agent of its mail. */
export type Woken =
  | { kind: 'notified'; by: 'codex' | 'typed' }
  | { kind: 'listens' }
  | { kind: 'left-alone' }
  /** `failedOn`: the screen on which typing failed. */
  | { kind: 'not-notified'; reason: UnwokenReason; failedOn?: string };

export interface WakeParts {
  state: DeliveryState;
  env: NodeJS.ProcessEnv;
  now: number;
  /** The screen on which the last attempt to type failed. */
  failedOn?: string | undefined;
}

/** A listener delivers mail immediately. After this time it is not waited for. */
const LISTENER_TIMEOUT_MS = 15_000;

/** Notifies an agent of its mail: by its own wake method if it has one, otherwise by typing. */
export async function wake(agent: Agent, unread: readonly Letter[], parts: WakeParts): Promise<Woken> {
  const { state, env, now, failedOn } = parts;
  const wakeMethod = wakeMethodOf(state, agent.at.me);
  const hasListener = wakeMethod?.pid !== undefined && (await runsCommand(wakeMethod.pid, 'wait'));
  if (hasListener && agent.isSilent) return { kind: 'left-alone' };
  if (hasListener && now - oldest(unread) < LISTENER_TIMEOUT_MS) return { kind: 'listens' };
  const front = await frontOf(agent);
  if (agent.isSilent && !(front && (await mayBeReady(front.program, agent)))) return { kind: 'left-alone' };
  if (!front) return { kind: 'not-notified', reason: 'foreground-unknown' };
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
    ...(failedOn === undefined ? {} : { failedOn }),
  });
  if (typed.kind === 'typed') return { kind: 'notified', by: 'typed' };
  if (typed.kind === 'left-alone') return typed;
  const { reason } = typed;
  return { kind: 'not-notified', reason, ...(typed.kind === 'failed' ? { failedOn: typed.screen } : {}) };
}

/** Whether a program that was started after its agent's last status says nothing before it has a prompt. */
async function mayBeReady({ kind, name, group }: Foreground, { presence }: Agent): Promise<boolean> {
  const prompt = kind === 'agent' ? MAIN_PROMPTS.get(name) : undefined;
  if (!prompt || prompt.reportsStart) return false;
  return presence.updatedAt === 0 || ((await startOf(group)) ?? 0) > presence.updatedAt;
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
