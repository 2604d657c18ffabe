import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { promptOf } from './prompt.ts';

const DIM = '\x1b[2m';
const GREY = '\x1b[38;2;108;112;134m';
const REVERSE = '\x1b[7m';
const END = '\x1b[0m';

describe('an empty prompt', () => {
  const empty: Record<string, () => ReturnType<typeof promptOf>> = {
    'a mark and the cursor after it': () => seen(['hello', '> '], 2),
    'a box with a mark': () => seen(['╭────────╮', '│ >      │', '╰────────╯', '  ? for shortcuts'], 4, 1),
    'rules above and below': () => seen(['──────────', '❯ ', '──────────', '  some footer'], 2, 1),
    'a faint placeholder after the cursor': () =>
      seen([`› ${DIM}Ask Codex to do anything${END}`, '', '  100% left'], 2, 0),
    'a grey placeholder in a box': () =>
      seen(['╭──────────╮', `│ > ${REVERSE} ${END}${GREY} Type your message${END} │`, '╰──────────╯'], 0, 3, false),
    'a drawn cursor on the first letter of a placeholder': () =>
      seen(['──────', `> ${REVERSE}T${END}${DIM}ry "fix lint errors"${END}`, '──────', ''], 0, 3, false),
    'only a border, with the cursor in it': () => seen(['┃', `┃  ${DIM}Ask anything${END}`, '┃'], 3, 1),
    'a mark with the name of a mode': () => seen(['ask> '], 5),
  };

  for (const [name, prompt] of Object.entries(empty)) {
    test(`is recognised: ${name}`, () => {
      assert.deepEqual(prompt(), { kind: 'empty' });
    });
  }
});

describe('a draft', () => {
  test('is recognised with its text', () => {
    const prompt = seen(['╭───────────╮', '│ > fix the │', '│   tests   │', '╰───────────╯'], 4, 1);

    assert.deepEqual(prompt, { kind: 'draft', text: 'fix the\ntests' });
  });

  test('is recognised with the cursor on an empty line below it', () => {
    const prompt = seen(['╭─────────╮', '│ > first │', '│         │', '╰─────────╯'], 2, 2);

    assert.deepEqual(prompt, { kind: 'draft', text: '> first' });
  });

  test('is recognised with the cursor before its first letter', () => {
    assert.deepEqual(seen(['> hello'], 2), { kind: 'draft', text: 'hello' });
  });

  test('is recognised with a drawn cursor, also on a single letter', () => {
    assert.deepEqual(seen([`> ${REVERSE}x${END}`, '──────'], 0, 1, false), { kind: 'draft', text: 'x' });
    assert.deepEqual(seen([`> hello${REVERSE} ${END}`, '──────'], 0, 1, false), { kind: 'draft', text: 'hello' });
  });

  test('is recognised on a second line below an empty first one', () => {
    assert.equal(seen(['> ', '  second', '─────'], 2, 0).kind, 'draft');
  });

  test('is recognised if it is only spaces before the cursor', () => {
    assert.equal(seen(['>    '], 5).kind, 'draft');
  });

  test('is recognised if a completion in grey follows', () => {
    assert.deepEqual(seen([`> git${DIM} commit${END}`], 5), { kind: 'draft', text: 'git commit' });
  });

  test('a choice in a dialogue is not an empty prompt', () => {
    assert.equal(seen(['Do you want to proceed?', '❯ 1. Yes', '  2. No'], 2, 1).kind, 'draft');
  });

  test('after any prompt mark is never an empty prompt', () => {
    const mark = fc.constantFrom('> ', '❯ ', '│ > ', '› ', 'ask> ');
    const visible = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((text) => /[\p{L}\p{N}\p{P}]/u.test(text));
    const colour = fc.constantFrom('', '\x1b[31m', '\x1b[38;5;15m', '\x1b[38;2;230;230;230m', '\x1b[1m');

    fc.assert(
      fc.property(mark, visible, colour, fc.nat(40), fc.boolean(), (before, text, style, x, isVisible) => {
        const prompt = promptOf({
          capture: `${before}${style}${text}${END}`,
          cursorX: x,
          cursorY: 0,
          isCursorVisible: isVisible,
        });

        assert.notEqual(prompt.kind, 'empty');
        assert.notEqual(prompt.kind, 'bare');
      }),
    );
  });
});

describe('a screen without a prompt', () => {
  for (const line of ['$ ', '# ', '~/work % ', '! ', '>>> ', 'Password: ', 'text that ends']) {
    test(`“${line}” is not a prompt`, () => {
      assert.deepEqual(seen([line], line.length), { kind: 'none' });
    });
  }

  test('an empty last line is distinguished from a prompt', () => {
    assert.deepEqual(seen(['output', ''], 0, 1), { kind: 'bare' });
    assert.deepEqual(seen(['output', '', 'more'], 0, 1), { kind: 'none' });
  });

  test('any bytes are parsed without an error', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.nat(200),
        fc.nat(60),
        fc.boolean(),
        (capture, x, y, isVisible) => {
          promptOf({ capture, cursorX: x, cursorY: y, isCursorVisible: isVisible });
        },
      ),
    );
  });
});

/** The prompt of a screen with these lines; the cursor is on the last one by default. */
function seen(lines: readonly string[], cursorX: number, cursorY = lines.length - 1, isCursorVisible = true) {
  return promptOf({ capture: lines.join('\n'), cursorX, cursorY, isCursorVisible });
}
