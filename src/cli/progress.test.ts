import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toFile, toTerminal } from '../../tests/support/cli/run-cli.ts';
import { createProgress } from './progress.ts';
import type { Output, Terminal } from './terminal.ts';

function terminalWith(err: Output, json = false): Terminal {
  return { stdin: () => process.stdin, out: toFile, err, json };
}

describe('progress', () => {
  test('a bar is drawn on one line of the terminal and removed at the end', () => {
    const written: string[] = [];
    const progress = createProgress(terminalWith(toTerminal(60, written)));

    progress.report(1, 2, 'half\nway');
    progress.end();

    assert.deepEqual(written, [`\r\x1b[K[${'#'.repeat(15)}${' '.repeat(15)}] 50% half\\nway`, '\r\x1b[K']);
  });

  test('the bar is redrawn at a limited rate, and always at the end', () => {
    const written: string[] = [];
    let now = 0;
    const progress = createProgress(terminalWith(toTerminal(60, written)), () => now);

    for (let done = 1; done <= 100; done++) {
      now += 10;
      progress.report(done, 100);
    }

    assert.equal(written.length, 11);
    assert.match(written.at(-1) ?? '', /100%$/);
  });

  test('work of unknown length is counted', () => {
    const written: string[] = [];
    const progress = createProgress(terminalWith(toTerminal(60, written)));

    progress.report(1234, undefined, 'messages');

    assert.deepEqual(written, ['\r\x1b[K1234 messages']);
  });

  test('work that has only begun is named without a number', () => {
    const written: string[] = [];
    const progress = createProgress(terminalWith(toTerminal(60, written)));

    progress.report(0, undefined, 'Starting files …');

    assert.deepEqual(written, ['\r\x1b[KStarting files …']);
  });

  test('nothing is drawn without a terminal', () => {
    const written: string[] = [];
    const file = { ...toTerminal(60, written), isTty: false };

    for (const terminal of [terminalWith(file), terminalWith(toTerminal(60, written), true)]) {
      const progress = createProgress(terminal);
      progress.report(1, 2);
      progress.end();
    }

    assert.deepEqual(written, []);
  });
});
