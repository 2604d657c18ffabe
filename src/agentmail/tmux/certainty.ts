import type { ProcessFacts } from './process-facts.ts';
import { assistantOf, insteadOf, isSandbox, isSharedByDefault, isWrapper, sharedServer } from './shared-servers.ts';

/** The pane that a process is said to be in. */
export interface PaneClaim {
  /** The pane's first process. */
  panePid: number;
  serverPid: number;
  /** `TMUX` and `TMUX_PANE` of the caller, where these name the pane. */
  tmux?: string | undefined;
  pane?: string | undefined;
  /** The assistant that the environment of the caller shows. */
  mark?: string | undefined;
}

/** Why it is not certain that a process belongs to a pane. */
export type Doubt =
  /** A server that works for several windows is between the pane and the process. */
  | { kind: 'shared-server'; program: string }
  /** It runs in another pane of the same server, or was started by tmux itself. */
  | { kind: 'other-pane' }
  /** An assistant that is not in this pane started it. */
  | { kind: 'outside'; program: string }
  /** It, or the program that has started it, runs in the background and outlived its pane. */
  | { kind: 'detached' };

const INITS: ReadonlySet<string> = new Set(
  'systemd init launchd tini dumb-init docker-init catatonit s6-svscan runit runsvdir upstart openrc-init'.split(' '),
);

/**
 * Undefined where a process, given with its parents, certainly belongs to a pane: it descends from the pane's first
 * process or shares its terminal; or a process outside tmux that is no assistant's has named the pane for it, as tests
 * and scripts do. A variable that was only inherited proves nothing: a background server hands on those of the window
 * that has started it.
 */
export function doubtAbout(processes: readonly ProcessFacts[], claim: PaneClaim): Doubt | undefined {
  const { panePid, serverPid } = claim;
  const first = processes.findIndex(({ pid }) => pid === panePid);
  if (first >= 0 || processes.some(({ session }) => session === panePid)) {
    const between = first >= 0 ? processes.slice(1, first + 1) : processes.slice(1);
    return sharedAmong(between, panePid);
  }
  if (processes.some(({ pid }) => pid === serverPid)) return { kind: 'other-pane' };
  return doubtOutside(processes, claim);
}

function sharedAmong(processes: readonly ProcessFacts[], panePid: number): Doubt | undefined {
  for (const each of processes) {
    const program = sharedServer(each, panePid);
    if (program !== undefined) return { kind: 'shared-server', program };
  }
  return undefined;
}

/** The pane is not among the parents: only the environment names it. */
function doubtOutside(processes: readonly ProcessFacts[], { tmux, pane, panePid, mark }: PaneClaim): Doubt | undefined {
  const assistants = processes.map(assistantOf);
  const shared = sharedAmong(
    processes.filter((_, at) => at > 0 && assistants[at] !== undefined),
    panePid,
  );
  if (shared) return shared;
  const assistant = assistants.find((name) => name !== undefined);
  if (assistant !== undefined) return { kind: 'outside', program: assistant };
  const hasIt = (each: ProcessFacts) => each.variable('TMUX') === tmux && each.variable('TMUX_PANE') === pane;
  const end = processes.slice(1).findIndex((each) => !hasIt(each)) + 1;
  const giver = end === 0 ? undefined : processes[end];
  if (giver && giver.pid !== 1 && !isInit(giver)) return undefined;
  // Its parents are hidden or gone.
  if (mark !== undefined) return doubtAboutMarked(processes, mark);
  const heirs = processes.slice(1, end === 0 ? undefined : end);
  const isStarted = !(giver && isInit(giver)) && heirs.every(isWrapper);
  return isStarted ? undefined : { kind: 'detached' };
}

/** An assistant that uses no server unasked starts its tools from the window it runs in, in a sandbox too. */
function doubtAboutMarked(processes: readonly ProcessFacts[], mark: string): Doubt | undefined {
  if (isSharedByDefault(mark)) return { kind: 'shared-server', program: mark };
  return processes.some(isSandbox) ? undefined : { kind: 'outside', program: mark };
}

/** Whether it adopts processes whose parents have ended. */
export function isInit({ name }: Pick<ProcessFacts, 'name'>): boolean {
  return INITS.has(name);
}

/** In words, with what to do. */
export function explainDoubt(doubt: Doubt): { cause: string; hint: string } {
  const uncertain = 'it is not certain which agent this is';
  switch (doubt.kind) {
    case 'shared-server':
      return {
        cause: `${uncertain}: ${doubt.program} works for several windows with one background process`,
        hint: insteadOf(doubt.program),
      };
    case 'outside':
      return {
        cause: `${uncertain}: ${doubt.program} does not run in the window that TMUX_PANE names`,
        hint: insteadOf(doubt.program),
      };
    case 'other-pane':
      return {
        cause: `${uncertain}: TMUX_PANE names another pane than the one this runs in`,
        hint: 'Leave TMUX and TMUX_PANE as tmux has set them.',
      };
    case 'detached':
      return {
        cause: `${uncertain}: this runs in the background, outside the pane that TMUX_PANE names`,
        hint: 'Run it in the window itself.',
      };
  }
}
