import { setTimeout as sleep } from 'node:timers/promises';
import { randomHex } from '../../lib/chance.ts';
import { type Foreground, foregroundOf } from '../tmux/foreground.ts';
import { isPersonTyping, type PaneView, viewPane } from '../tmux/pane-view.ts';
import { promptOf, type WakePrompt } from '../tmux/prompt.ts';
import { tmux } from '../tmux/tmux.ts';
import { NOTICE } from './notice.ts';

/** The pane to type into. */
export interface Target {
  socket: string;
  pane: string;
  /** Process group in the foreground when the agent became ready, if known. */
  foreground?: number;
  /** Called when the notice is in the prompt and is about to be submitted. */
  onSubmit?(): void;
}

export type Typed =
  | { kind: 'typed' }
  /** Nothing was typed; a later attempt may succeed. */
  | { kind: 'not now'; why: string }
  /** It was typed, but the program did not accept it. */
  | { kind: 'failed'; why: string };

const PERSON_IS_NEAR_S = 3;
const LOOK_EVERY_MS = 60;
const LOOK_FOR_MS = 1_500;

/**
 * Types the notice into a pane, as the last resort to wake an agent: only where an agent's program reads the
 * terminal, and only into an empty prompt. Checks the screen before and after submitting.
 */
export async function typeNotice(target: Target): Promise<Typed> {
  const why = await obstacleOf(target);
  if (why !== undefined) return { kind: 'not now', why };
  await paste(target);
  const shown = await lookUntil(target, (view) => promptOf(view.screen).kind === 'draft' || isNoticeIn(view));
  if (!shown) return withdraw(target, 'it did not show what was typed');
  // The user typed at the same time: the prompt is not ours to submit.
  if (!isNoticeIn(shown)) return { kind: 'failed', why: 'the user typed at the same time' };
  target.onSubmit?.();
  for (const key of [['Enter'], ['-H', '0d']]) {
    await tmux(target.socket, ['send-keys', '-t', target.pane, ...key]);
    if (await lookUntil(target, (view) => !isNoticeIn(view))) return { kind: 'typed' };
  }
  return withdraw(target, 'it did not accept the Enter key');
}

/** Why nothing may be typed there; undefined where it may. */
async function obstacleOf({ socket, pane, foreground }: Target): Promise<string | undefined> {
  const view = await viewPane(socket, pane);
  if (!view) return 'its pane is gone';
  if (view.obstacle !== undefined) return view.obstacle;
  const program = await foregroundOf(view);
  if (!program) return 'its foreground program is unknown';
  if (!isWelcome(program, foreground)) return `${program.name} is in the foreground, which is not its agent`;
  const prompt = promptOf(view.screen);
  if (!isFree(prompt, program)) {
    return prompt.kind === 'draft' ? 'its prompt contains a draft' : 'it shows no empty prompt';
  }
  return (await isPersonTyping(socket, pane, PERSON_IS_NEAR_S, Date.now())) ? 'the user is typing in it' : undefined;
}

/** An unknown program counts as the agent if it is the one that became ready, or if that is not known. */
function isWelcome({ kind, group }: Foreground, recorded: number | undefined): boolean {
  return kind === 'agent' || (kind === 'unknown' && (recorded === undefined || recorded === group));
}

/** Known agents have a prompt; a bare line counts as one only in an unknown program. */
function isFree({ kind }: WakePrompt, program: Foreground): boolean {
  return kind === 'empty' || (kind === 'bare' && program.kind === 'unknown');
}

/** A bracketed paste, so that no character is taken for a command. */
async function paste({ socket, pane }: Target): Promise<void> {
  const buffer = `agentmail-${randomHex(8)}`;
  await tmux(socket, [
    'set-buffer',
    '-b',
    buffer,
    '--',
    NOTICE,
    ';',
    'paste-buffer',
    '-p',
    '-d',
    '-b',
    buffer,
    '-t',
    pane,
  ]);
}

function isNoticeIn({ screen }: PaneView): boolean {
  const prompt = promptOf(screen);
  // In a program without a prompt it is on a separate line.
  const text = prompt.kind === 'draft' ? prompt.text : (screen.capture.split('\n')[screen.cursorY] ?? '');
  return text.split(/\s+/).join(' ').trim() === NOTICE;
}

async function lookUntil(target: Target, isSo: (view: PaneView) => boolean): Promise<PaneView | undefined> {
  const until = performance.now() + LOOK_FOR_MS;
  do {
    const view = await viewPane(target.socket, target.pane);
    if (!view) return undefined;
    if (isSo(view)) return view;
    await sleep(LOOK_EVERY_MS);
  } while (performance.now() < until);
  return undefined;
}

/** Removes our own text again, which would otherwise look like a draft of the user. */
async function withdraw(target: Target, why: string): Promise<Typed> {
  const view = await viewPane(target.socket, target.pane);
  if (view && isNoticeIn(view)) await tmux(target.socket, ['send-keys', '-t', target.pane, 'C-u']);
  return { kind: 'failed', why };
}
