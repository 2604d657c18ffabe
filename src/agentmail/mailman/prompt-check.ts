import type { UnwokenReason } from '../delivery/unwoken-reason.ts';
import { type Foreground, foregroundOf } from '../tmux/foreground.ts';
import { readsEchoedLines } from '../tmux/line-mode.ts';
import { linePromptOf } from '../tmux/line-prompt.ts';
import { MAIN_PROMPTS } from '../tmux/main-prompts.ts';
import { isPersonTyping, type PaneView } from '../tmux/pane-view.ts';
import { promptOf, type Screen, type WakePrompt } from '../tmux/prompt.ts';
import { NOTICE } from './notice.ts';

/** Finds the prompt of one program on a screen. */
export type ReadPrompt = (screen: Screen) => WakePrompt;

/** A pane in which nothing hinders typing, or the reason that does. */
export type PromptCheck = { kind: 'free'; read: ReadPrompt } | { kind: 'not-free'; reason: UnwokenReason };

/** The pane to type into. */
export interface CheckedPane {
  socket: string;
  pane: string;
  view: PaneView;
  /** Process group in the foreground when the agent became ready, if known. */
  foreground?: number | undefined;
}

const PERSON_IS_NEAR_S = 3;
/** Besides the notice: the mark, and the cursor after it. */
const MARGIN = 8;

const REASONS = { none: 'no-prompt', busy: 'working', draft: 'draft' } as const satisfies Record<
  Exclude<WakePrompt['kind'], 'empty'>,
  UnwokenReason
>;

/** Only an empty prompt may be typed into, of the program that reads the terminal. */
export async function checkPrompt(checked: CheckedPane): Promise<PromptCheck> {
  const { socket, pane, view } = checked;
  if (view.obstacle !== undefined) return notFree(view.obstacle);
  const program = await foregroundOf(view);
  if (!program) return notFree('foreground-unknown');
  const found = await promptFor(program, checked);
  if (found.kind !== 'free') return found;
  const { kind } = found.read(view.screen);
  if (kind !== 'empty') return notFree(REASONS[kind]);
  if (view.width < view.screen.cursorX + NOTICE.length + MARGIN) return notFree('too-narrow');
  return (await isUserNear(socket, pane)) ? notFree('user-typing') : found;
}

/**
 * A known agent has a main prompt that is known from recorded screens. Any other program must read lines, and be the
 * one that became ready, where that is known.
 */
async function promptFor(program: Foreground, { view, foreground }: CheckedPane): Promise<PromptCheck> {
  if (program.kind === 'agent') {
    const shape = MAIN_PROMPTS.get(program.name);
    return shape ? { kind: 'free', read: (screen) => promptOf(shape, screen) } : notFree('prompt-unknown');
  }
  const isReadyOne = program.kind === 'unknown' && (foreground === undefined || foreground === program.group);
  if (!isReadyOne) return notFree('not-an-agent');
  const isLineProgram = !view.isAlternate && (await readsEchoedLines(view.tty));
  return isLineProgram ? { kind: 'free', read: linePromptOf } : notFree('prompt-unknown');
}

export function isUserNear(socket: string, pane: string): Promise<boolean> {
  return isPersonTyping(socket, pane, PERSON_IS_NEAR_S, Date.now());
}

function notFree(reason: UnwokenReason): PromptCheck {
  return { kind: 'not-free', reason };
}
