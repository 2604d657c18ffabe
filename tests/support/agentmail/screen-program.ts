import { appendFileSync } from 'node:fs';
import { recordedScreens } from './recorded-screens.ts';

/**
 * Shows a recorded screen of the program under whose name it runs. Its input is written to the file named by its first
 * argument; the second names the screen. The text of a bracketed paste is inserted at the cursor, as a field would show
 * it, and the Backspace key deletes it; any other key has no effect.
 */
const [, script = '', record = '', label = ''] = process.argv;
const screen = recordedScreens().find((each) => script.endsWith(`/${each.program}.mjs`) && each.label === label);
if (!screen) throw new Error(`no screen ${label}`);

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text: string) => {
  appendFileSync(record, `${JSON.stringify(text)}\n`);
  process.stdout.write(text.replaceAll(/\x1b\[20[01]~|[\r\n]/g, '').replaceAll('\x7f', '\b \b'));
});
process.stdout.on('resize', draw);
draw();

function draw(): void {
  // tmux gives the window its size after it has started the program.
  if (!screen || process.stdout.columns !== screen.width || process.stdout.rows !== screen.height) return;
  const rows = screen.capture.split('\n').map((row, at) => `\x1b[${at + 1};1H${row}\x1b[0m`);
  process.stdout.write(`\x1b[?2004h\x1b[2J${rows.join('')}\x1b[${screen.cursorY + 1};${screen.cursorX + 1}H`);
  appendFileSync(record, 'up\n');
}
