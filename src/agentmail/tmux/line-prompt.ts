import type { Screen, WakePrompt } from './prompt.ts';
import { plainText } from './screen.ts';

/** Without `!`, `#`, `$` and `%`: these are prompts for commands. */
const MARK = /^(?:[>❯›»▶⟩→]|[a-z]{1,12}>) ?/u;

/**
 * The prompt of a program that reads lines and draws nothing: the line of the cursor, if it has nothing but a prompt
 * mark, and nothing is below it.
 */
export function linePromptOf({ capture, cursorX, cursorY }: Screen): WakePrompt {
  const lines = plainText(capture).split('\n');
  const line = lines[cursorY] ?? '';
  const start = MARK.exec(line.padEnd(cursorX))?.[0].length ?? 0;
  const isLast = lines.slice(cursorY + 1).every((each) => each === '');
  if (!isLast || cursorX < start) return { kind: 'none' };
  const text = line.slice(start);
  if (text === '' && cursorX === start) return { kind: 'empty' };
  return { kind: 'draft', text, cursor: cursorX - start };
}
