import { appendFileSync } from 'node:fs';

/**
 * A program with the prompt of Claude Code or Codex, by its third argument. Its input is written line by line to the file
 * named by its first argument. The second is how it behaves: `plain`, `drawn` (it draws its cursor itself), `deaf` (Enter
 * does nothing), `multiline` (Enter begins a line), `commands` (keys other than a paste have no effect, Ctrl-A and Ctrl-K
 * excepted) or `dialog` (a field for a name appears when something is pasted, and gets it).
 */
const [, , record = '', look = 'plain', program = 'claude'] = process.argv;
const PLACEHOLDER = program === 'codex' ? 'Ask Codex to do anything' : 'Try "write a test"';
const WIDTH = 60;
let draft = '';
let cursor = 0;
let pasted: string | undefined;
let isDialog = false;

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text: string) => {
  for (const [key] of text.matchAll(/\x1b\[20[01]~|\x1b\[[0-9;]*[A-Za-z]|\x1bO[A-Z]|./gsu)) press(key);
  draw();
});
process.stdout.write('\x1b[?2004h');
draw();
tell('up');

function press(key: string): void {
  if (key === '\x1b[200~') pasted = '';
  else if (key === '\x1b[201~') endPaste();
  else if (pasted !== undefined) pasted += key;
  else if (key === '\x03') process.exit(0);
  else if (key === '\x01') cursor = 0;
  else if (key === '\x0b') draft = draft.slice(0, cursor);
  else if (look !== 'commands') edit(key);
}

function edit(key: string): void {
  if (key === '\r') enter();
  else if (key === '\x7f' && cursor > 0) {
    draft = draft.slice(0, cursor - 1) + draft.slice(cursor);
    cursor -= 1;
  } else if (/^\x1b.D$/s.test(key)) cursor = Math.max(0, cursor - 1);
  else if (/^\x1b.C$/s.test(key)) cursor = Math.min(draft.length, cursor + 1);
  else if (key >= ' ' && key !== '\x7f') insert(key);
}

function insert(text: string): void {
  draft = draft.slice(0, cursor) + text + draft.slice(cursor);
  cursor += text.length;
}

function endPaste(): void {
  isDialog ||= look === 'dialog';
  insert(pasted ?? '');
  tell(`pasted ${pasted}`);
  pasted = undefined;
}

function enter(): void {
  if (look === 'multiline') return insert('\n');
  if (look === 'deaf') return;
  tell(`submitted ${draft}`);
  draft = '';
  cursor = 0;
}

function draw(): void {
  const lines = draft === '' ? [placeholder()] : draft.split('\n').map((line) => line.padEnd(WIDTH - 4));
  const above = draft.slice(0, cursor).split('\n');
  const [before, after] = isDialog
    ? [
        ['', '  Name thread', ''],
        ['', '  enter submit · esc back'],
      ]
    : frame();
  const [first = '', ...others] = lines;
  const field = [`${program === 'codex' ? '›' : '❯'} ${first}`, ...others.map((line) => `  ${line}`)];
  const rows = [' Hello', ...before, ...field, ...after];
  const row = 1 + before.length + above.length;
  const hidden = look === 'drawn' ? '\x1b[?25l' : '';
  process.stdout.write(`\x1b[H\x1b[2J${hidden}${rows.join('\r\n')}\x1b[${row};${3 + (above.at(-1) ?? '').length}H`);
}

/** The rows above and below the field. */
function frame(): [string[], string[]] {
  const rule = '─'.repeat(WIDTH);
  const hint = draft === '' ? '  ← for agents · ? for shortcuts' : '';
  if (program === 'codex') return [[''], ['', '  gpt-5 default · ~/app', hint]];
  return [
    ['', rule],
    [rule, '  ⏵⏵ auto mode on (shift+tab to cycle)'],
  ];
}

function placeholder(): string {
  const faint = (text: string) => `\x1b[2m${text}\x1b[0m`;
  return look === 'drawn' ? `\x1b[7m${PLACEHOLDER[0]}\x1b[0m${faint(PLACEHOLDER.slice(1))}` : faint(PLACEHOLDER);
}

function tell(event: string): void {
  appendFileSync(record, `${event}\n`);
}
