import type { Origin } from '../../domain/origin.ts';
import { assistantMark } from '../../lib/assistant-marks.ts';
import type { AgentContext } from '../agent.ts';
import { createDeliveryStates } from '../delivery/delivery-states.ts';
import { ownNames } from '../delivery/own-names.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { newestOf, readPresences } from '../mailbox/recipients-file.ts';
import { isInit } from '../tmux/certainty.ts';
import { foregroundOf } from '../tmux/foreground.ts';
import { type ProcessFacts, processFacts } from '../tmux/process-facts.ts';
import { kindOf } from '../tmux/programs.ts';
import { assistantOf, isSandbox, isWrapper } from '../tmux/shared-servers.ts';
import { TmuxFailure, tmux } from '../tmux/tmux.ts';
import { namedLocationOf } from '../tmux/tmux-location.ts';

/**
 * Whether a command certainly comes from the user: no assistant has started it, it was not detached from what has
 * started it, and if it runs in tmux, then in a shell of a window that is no agent's.
 */
export async function isPersonsTerminal(origin: Origin): Promise<boolean> {
  const pid = origin.peer ? origin.peer() : origin.pid;
  if (pid === undefined || origin.assistant !== undefined) return false;
  const processes = await withSession(await processFacts(pid));
  if (!isStartedByPerson(processes)) return false;
  return !processes.some(isTmux) || isPersonsWindow({ pid, cwd: origin.cwd });
}

/** An orphan's parents are gone, but the first process of its session shows where it comes from. */
async function withSession(processes: readonly ProcessFacts[]): Promise<readonly ProcessFacts[]> {
  const leader = processes[0]?.session ?? 0;
  if (leader <= 1 || processes.some(({ pid }) => pid === leader)) return processes;
  return [...processes, ...(await processFacts(leader))];
}

/** No assistant is among the processes, neither by its name nor by what it sets for others. */
export function isStartedByPerson(processes: readonly ProcessFacts[]): boolean {
  const [caller, parent] = processes;
  if (!caller) return false;
  const isAssistants = (each: ProcessFacts) => assistantOf(each) !== undefined || assistantMark(each.variable);
  if (processes.some(isAssistants) || processes.some(isSandbox)) return false;
  return caller.hasTerminal || (parent !== undefined && !isInit(parent));
}

function isTmux({ name }: ProcessFacts): boolean {
  return name.startsWith('tmux');
}

/** A window that the user can see, with shells in which no assistant runs, and without a status of an agent. */
async function isPersonsWindow(origin: Origin): Promise<boolean> {
  const where = await namedLocationOf(origin);
  if (where.kind !== 'inside' || where.me.pane === undefined) return false;
  try {
    const format = '#{session_attached} #{pane_pid} #{pane_tty}';
    const listed = await tmux(where.socket, ['list-panes', '-t', where.me.pane, '-F', format]);
    const panes = listed
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '));
    if (!panes.every(([attached]) => Number(attached) > 0)) return false;
    const started = await tmux(where.socket, ['display-message', '-p', '-t', where.me.pane, '#{pane_start_command}']);
    if (!isShell(started.trim())) return false;
    for (const [, pid, tty = ''] of panes) {
      if ((await foregroundOf({ pid: Number(pid), tty }))?.kind === 'agent') return false;
    }
    return !(await hasStatus(where, [origin.cwd, where.me.folder]));
  } catch (thrown) {
    if (thrown instanceof TmuxFailure) return false;
    throw thrown;
  }
}

/** The command of a pane; tmux starts the user's shell without one. */
export function isShell(started: string): boolean {
  const words = started.replaceAll('"', '').split(' ');
  return started === '' || (words.every((word, at) => at === 0 || /^-[il]+$/.test(word)) && isPlainShell(words));
}

function isPlainShell([program = '']: readonly string[]): boolean {
  return isWrapper({ command: [program] }) && kindOf([program]) === 'never' && /sh$/.test(program);
}

/** Agents report when they are ready and when they work; people do not. Renaming its window makes no agent a person. */
export async function hasStatus(
  window: Pick<AgentContext, 'me' | 'peers'>,
  folders: readonly (string | undefined)[],
): Promise<boolean> {
  const states = createDeliveryStates(() => {});
  try {
    for (const folder of folders) {
      const mailFolders = folder === undefined ? undefined : mailFoldersFor(folder);
      if (!mailFolders) continue;
      const names = ownNames(window, states.of(mailFolders.main));
      for (const each of mailFolders.read) {
        const said = newestOf(await readPresences(each), names);
        if (said && said.status !== 'offline') return true;
      }
    }
    return false;
  } finally {
    states.close();
  }
}
