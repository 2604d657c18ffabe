import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLineMode } from './line-mode.ts';
import { linePromptOf } from './line-prompt.ts';

test('a bare last line is a prompt, with and without a mark', () => {
  const prompts = [seen(['output', '']), seen(['> ']), seen(['❯']), seen(['output', 'ask> ', '', ''], 1)];

  assert.deepEqual(new Set(prompts.map(({ kind }) => kind)), new Set(['empty']));
});

test('a line with anything else is a draft, also a question', () => {
  for (const line of ['$ ', '# ', '! ', '>>> ', 'Password: ', 'text', '> text', '>    ']) {
    assert.equal(seen([line]).kind, 'draft', line);
  }
});

test('text is read without the mark, with the position of the cursor', () => {
  assert.deepEqual(seen(['> Check your agentmail']), { kind: 'draft', text: 'Check your agentmail', cursor: 20 });
});

test('a line with something below it is no prompt', () => {
  assert.equal(seen(['', 'more'], 0).kind, 'none');
  assert.equal(linePromptOf({ capture: 'ask> ', cursorX: 2, cursorY: 0 }).kind, 'none');
});

test('line mode is canonical with echo', () => {
  assert.equal(isLineMode('isig icanon iexten echo echoe echok -echonl -noflsh'), true);
  assert.equal(isLineMode('isig icanon iexten -echo echoe echok -echonl'), false);
  assert.equal(isLineMode('-isig -icanon -iexten -echo echoe'), false);
  assert.equal(isLineMode('lflags: icanon isig iexten echo echoe;\niflags: -istrip'), true);
  assert.equal(isLineMode(''), false);
});

/** The cursor is at the end of the row, on the last one by default. */
function seen(rows: readonly string[], cursorY = rows.length - 1) {
  return linePromptOf({ capture: rows.join('\n'), cursorX: rows[cursorY]?.length ?? 0, cursorY });
}
