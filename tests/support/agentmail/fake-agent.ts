import { appendFileSync } from 'node:fs';

/**
 * A program with a prompt, as assistants in a terminal have one. Its input is written line by line to the file named by its
 * first argument; the second is its appearance: `box`, `drawn` (it draws its cursor itself), or `deaf` (a box
 * whose Enter does nothing).
 */
const [, , record = '', look = 'box'] = process.argv;
const PLACEHOLDER = 'Try "write a test"';
let draft = '';
let pasted: string | undefined;

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text: string) => {
  for (const [key] of text.matchAll(/\x1b\[20[01]~|\x1b\[[0-9;]*[A-Za-z]|./gsu)) press(key);
  draw();
});
process.stdout.write(`\x1b[?2004h\x1b[2J${look === 'drawn' ? '\x1b[?25l' : ''}`);
draw();
tell('up');

function press(key: string): void {
  if (key === '\x1b[200~') pasted = '';
  else if (key === '\x1b[201~') endPaste();
  else if (pasted !== undefined) pasted += key;
  else if (key === '\r' && look !== 'deaf') submit();
  else if (key === '\x15') draft = '';
  else if (key === '\x03') process.exit(0);
  else if (key >= ' ') draft += key;
}

function endPaste(): void {
  draft += pasted ?? '';
  tell(`pasted ${pasted}`);
  pasted = undefined;
}

function submit(): void {
  tell(`submitted ${draft}`);
  draft = '';
}

function draw(): void {
  const width = 60;
  const cursor = look === 'drawn' ? '\x1b[7m' : '';
  const first = draft === '' ? `${cursor}T\x1b[0m\x1b[2m${PLACEHOLDER.slice(1)}\x1b[0m` : `${draft}${cursor} \x1b[0m`;
  const shown = look !== 'drawn' && draft === '' ? `\x1b[2m${PLACEHOLDER}\x1b[0m` : first;
  const blanks = ' '.repeat(width - 4 - (draft === '' ? PLACEHOLDER.length : draft.length + 1));
  const rule = '─'.repeat(width);
  process.stdout.write(`\x1b[H Hello\r\n╭${rule}╮\r\n│ > ${shown}${blanks} │\r\n╰${rule}╯\r\n  ? for shortcuts`);
  process.stdout.write(`\x1b[3;${5 + draft.length}H`);
}

function tell(event: string): void {
  appendFileSync(record, `${event}\n`);
}
