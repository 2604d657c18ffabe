import { setTimeout as sleep } from 'node:timers/promises';
import type { UnwokenReason } from '../delivery/unwoken-reason.ts';
import { pasteInto, pressIn } from '../tmux/guarded-input.ts';
import { type PaneView, viewPane } from '../tmux/pane-view.ts';
import { plainText } from '../tmux/screen.ts';
import { NOTICE } from './notice.ts';
import { checkPrompt, type ReadPrompt } from './prompt-check.ts';
import { removeNotice } from './remove-notice.ts';

/** The pane to type into. */
export interface Target {
  socket: string;
  pane: string;
  /** Process group in the foreground when the agent became ready, if known. */
  foreground?: number;
  /** The screen after a failed attempt, which is not repeated while the pane still shows it. */
  failedOn?: string;
  /** Called when the notice is in the prompt and is about to be submitted. */
  onSubmit?(): void;
}

export type Typed =
  | { kind: 'typed' }
  /** Nothing was typed; a later attempt may succeed. */
  | { kind: 'not-typed'; reason: UnwokenReason }
  /** The screen has not changed since an attempt that failed. */
  | { kind: 'left-alone' }
  /** It was typed, but the program did not accept it. `screen`: what it shows now. */
  | { kind: 'failed'; reason: UnwokenReason; screen: string };

const LOOK_EVERY_MS = 60;
const LOOK_FOR_MS = 1_500;
/** A carriage return for programs that ignore the key. */
const SUBMIT_KEYS = [['Enter'], ['-H', '0d']];

/**
 * Types the notice into a pane, as the last resort to wake an agent: only into an empty prompt of a program whose prompt
 * is known. Checks the screen before and after submitting, and removes what was not accepted.
 */
export async function typeNotice(target: Target): Promise<Typed> {
  const { socket, pane } = target;
  const view = await viewPane(socket, pane);
  if (!view) return { kind: 'not-typed', reason: 'pane-gone' };
  if (target.failedOn !== undefined && plainText(view.screen.capture) === target.failedOn)
    return { kind: 'left-alone' };
  const check = await checkPrompt({ socket, pane, view, foreground: target.foreground });
  if (check.kind !== 'free') return { kind: 'not-typed', reason: check.reason };
  if (!(await pasteInto({ socket, pane, view }, NOTICE))) return { kind: 'not-typed', reason: 'screen-changed' };
  const { read } = check;
  const shown = await lookUntil(target, ({ screen }) => read(screen).kind === 'draft');
  if (!shown) return withdraw(target, read, 'not-shown');
  if (!holdsNotice(read, shown)) return withdraw(target, read, 'user-typed-too');
  target.onSubmit?.();
  for (const keys of SUBMIT_KEYS) {
    const seen = await viewPane(socket, pane);
    if (seen && holdsNotice(read, seen)) await pressIn({ socket, pane, view: seen }, ...keys);
    if (await lookUntil(target, (now) => !isNoticeIn(read, now))) return { kind: 'typed' };
  }
  return withdraw(target, read, 'not-submitted');
}

/** Whether the prompt contains the notice and nothing else, with the cursor behind it. */
function holdsNotice(read: ReadPrompt, { screen }: PaneView): boolean {
  const prompt = read(screen);
  return prompt.kind === 'draft' && prompt.text === NOTICE && prompt.cursor === NOTICE.length;
}

function isNoticeIn(read: ReadPrompt, { screen }: PaneView): boolean {
  const prompt = read(screen);
  return prompt.kind === 'draft' && prompt.text.includes(NOTICE);
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

async function withdraw({ socket, pane }: Target, read: ReadPrompt, reason: UnwokenReason): Promise<Typed> {
  const isRemoved = await removeNotice(socket, pane, read);
  const view = await viewPane(socket, pane);
  const screen = plainText(view?.screen.capture ?? '');
  return { kind: 'failed', reason: isRemoved ? reason : 'not-removed', screen };
}
