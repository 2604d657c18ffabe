import { setTimeout as sleep } from 'node:timers/promises';
import { randomHex } from '../../lib/chance.ts';
import { type Foreground, foregroundOf } from '../tmux/foreground.ts';
import { isPersonTyping, type PaneView, viewPane } from '../tmux/pane-view.ts';
import { type Prompt, promptOf } from '../tmux/prompt.ts';
import { tmux } from '../tmux/tmux.ts';
import { NOTICE } from './notice.ts';

/** A pane into which is typed. */
export interface Target {
  socket: string;
  pane: string;
  /** The process group that was in front when the agent said that it is ready, where that is known. */
  foreground?: number;
  /** Called when the notice stands there and is about to be submitted. */
  onSubmit?(): void;
}

export type Typed =
  | { kind: 'typed' }
  /** Nothing was typed; it may do later. */
  | { kind: 'not now'; why: string }
  /** It was typed, but the program did not take it. */
  | { kind: 'failed'; why: string };

const PERSON_IS_NEAR_S = 3;
const LOOK_EVERY_MS = 60;
const LOOK_FOR_MS = 1_500;

/**
 * Types the notice into a pane, as the last way to wake an agent: only where an agent's program would get it, and only
 * into an empty prompt. That it went in is seen before it is submitted, and that it was submitted before it is said.
 */
export async function typeNotice(target: Target): Promise<Typed> {
  const why = await obstacleOf(target);
  if (why !== undefined) return { kind: 'not now', why };
  await paste(target);
  const shown = await lookUntil(target, (view) => promptOf(view.screen).kind === 'draft' || isNoticeIn(view));
  if (!shown) return withdraw(target, 'it did not show what was typed');
  // Somebody typed at the same moment: what stands there now is not ours to submit.
  if (!isNoticeIn(shown)) return { kind: 'failed', why: 'somebody typed at the same time' };
  target.onSubmit?.();
  for (const key of [['Enter'], ['-H', '0d']]) {
    await tmux(target.socket, ['send-keys', '-t', target.pane, ...key]);
    if (await lookUntil(target, (view) => !isNoticeIn(view))) return { kind: 'typed' };
  }
  return withdraw(target, 'it did not take the Enter key');
}

/** Why nothing may be typed there; undefined where it may. */
async function obstacleOf({ socket, pane, foreground }: Target): Promise<string | undefined> {
  const view = await viewPane(socket, pane);
  if (!view) return 'its pane is gone';
  if (view.obstacle !== undefined) return view.obstacle;
  const program = await foregroundOf(view);
  if (!program) return 'nothing is known of the program in it';
  if (!isWelcome(program, foreground)) return `${program.name} is in front, which is not its agent`;
  const prompt = promptOf(view.screen);
  if (!isFree(prompt, program)) {
    return prompt.kind === 'draft' ? 'somebody has begun to write in it' : 'no empty prompt is seen in it';
  }
  return (await isPersonTyping(socket, pane, PERSON_IS_NEAR_S, Date.now())) ? 'somebody is using it' : undefined;
}

/** A program that we do not know is an agent if it is the one that said it is ready, or if nobody knows better. */
function isWelcome({ kind, group }: Foreground, recorded: number | undefined): boolean {
  return kind === 'agent' || (kind === 'unknown' && (recorded === undefined || recorded === group));
}

/** The agents we know have a prompt; an empty line is one only in a program that we do not know. */
function isFree({ kind }: Prompt, program: Foreground): boolean {
  return kind === 'empty' || (kind === 'bare' && program.kind === 'unknown');
}

/** As a paste where the program understands that, so that no letter of it is taken for a command. */
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
  // In a program without a prompt it stands on a line of its own.
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

/** What is ours alone is taken out again, so that it does not stand in the way as if it were a person's. */
async function withdraw(target: Target, why: string): Promise<Typed> {
  const view = await viewPane(target.socket, target.pane);
  if (view && isNoticeIn(view)) await tmux(target.socket, ['send-keys', '-t', target.pane, 'C-u']);
  return { kind: 'failed', why };
}
