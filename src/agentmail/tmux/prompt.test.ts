import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type RecordedScreen, recordedScreens } from '../../../tests/support/agentmail/recorded-screens.ts';
import { MAIN_PROMPTS, type MainPrompt } from './main-prompts.ts';
import { promptOf } from './prompt.ts';

const SCREENS = recordedScreens();
const EMPTY = SCREENS.filter(({ kind }) => kind === 'empty');
const shapes = [...new Set(MAIN_PROMPTS.values())];
const anyShape = fc.constantFrom(...shapes);

describe('recorded screens of the real programs', () => {
  for (const [name, screens] of Map.groupBy(SCREENS, ({ program, version }) => `${program} ${version}`)) {
    test(`${name}: its main prompt is recognised, and nothing else`, () => {
      const found = screens.map((screen) => [screen.label, promptOf(shapeOf(screen), screen).kind]);

      assert.deepEqual(
        found,
        screens.map(({ label, kind }) => [label, kind === 'dialog' ? 'none' : kind]),
      );
    });
  }

  test('each program with a known prompt has screens of it, empty, as a draft and at work, and of dialogs', () => {
    const lacking = shapes.flatMap((shape) => {
      const kinds = SCREENS.filter((screen) => shapeOf(screen) === shape).map(({ kind }) => kind);
      return ['empty', 'draft', 'dialog', 'busy'].filter((kind) => !kinds.includes(kind));
    });

    assert.deepEqual(lacking, []);
  });

  test('are of the versions that the documentation names', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/agentmail-mailman.md'), 'utf8');
    const named = [...page.matchAll(/^\| .+ \(`([a-z]+)`\) \| (\S+) \|$/gm)].map(
      ([, program, version]) => `${program} ${version}`,
    );

    assert.deepEqual(named.sort(), [...new Set(SCREENS.map(({ program, version }) => `${program} ${version}`))].sort());
  });

  test('a dialog of one program is not the main prompt of another one', () => {
    const dialogs = SCREENS.filter(({ kind }) => kind === 'dialog');
    const mistaken = dialogs.flatMap((screen) =>
      shapes.filter((shape) => promptOf(shape, screen).kind === 'empty').map(() => screen.label),
    );

    assert.deepEqual(mistaken, []);
  });
});

describe('a screen that is not the main prompt', () => {
  test('is never recognised in random text', () => {
    const unit = fc.constantFrom(...' >❯›─┃╹▄▀⏵·?aé日\u200b\x1b[m;1237\0');
    const anyScreen = fc.array(fc.string({ unit, maxLength: 24 }), { maxLength: 12 });

    fc.assert(
      fc.property(anyShape, anyScreen, fc.nat(4), fc.nat(12), (shape, rows, cursorX, cursorY) => {
        assert.equal(promptOf(shape, { capture: rows.join('\n'), cursorX, cursorY }).kind, 'none');
      }),
    );
  });

  test('is not recognised with the cursor anywhere else', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EMPTY), fc.nat(120), fc.nat(40), (screen, cursorX, cursorY) => {
        fc.pre(cursorX !== screen.cursorX || cursorY !== screen.cursorY);

        assert.notEqual(promptOf(shapeOf(screen), { ...screen, cursorX, cursorY }).kind, 'empty');
      }),
    );
  });

  test('is not recognised if the row above or below the field is missing', () => {
    for (const screen of EMPTY) {
      for (const row of [screen.cursorY - 1, screen.cursorY + 1]) {
        const rows = screen.capture.split('\n').with(row, '  1. Yes, and send it');

        assert.equal(promptOf(shapeOf(screen), { ...screen, capture: rows.join('\n') }).kind, 'none', screen.label);
      }
    }
  });

  test('is not recognised if everything below the field is missing', () => {
    for (const screen of EMPTY) {
      const rows = screen.capture.split('\n').slice(0, screen.cursorY + 2);

      assert.equal(promptOf(shapeOf(screen), { ...screen, capture: rows.join('\n') }).kind, 'none', screen.label);
    }
  });
});

describe('text in the main prompt', () => {
  const visible = fc
    .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 })
    .filter((text) => /[\p{L}\p{N}\p{P}]/u.test(text));
  const colour = fc.constantFrom('', '\x1b[31m', '\x1b[38;5;15m', '\x1b[38;2;230;230;230m', '\x1b[1m');

  test('is never an empty prompt, wherever the cursor is', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EMPTY), visible, colour, fc.boolean(), (screen, text, style, isBehind) => {
        const cursorX = screen.cursorX + (isBehind ? text.length : 0);
        const { kind } = promptOf(shapeOf(screen), { ...typedInto(screen, `${style}${text}\x1b[0m`), cursorX });

        assert.ok(kind === 'draft' || kind === 'none', kind);
      }),
    );
  });

  test('is read exactly, with the position of the cursor', () => {
    for (const screen of EMPTY) {
      const text = 'Check your agentmail';
      const cursorX = screen.cursorX + text.length;

      const prompt = promptOf(shapeOf(screen), { ...typedInto(screen, text), cursorX });

      assert.deepEqual(prompt, { kind: 'draft', text, cursor: text.length }, `${screen.program}: ${screen.label}`);
    }
  });

  test('is read without the suggestion that follows it, and without characters that have no width', () => {
    const screen = EMPTY.find(({ program }) => program === 'qwen');
    assert.ok(screen);

    const prompt = promptOf(shapeOf(screen), { ...typedInto(screen, 'git\u200b\x1b[2m commit\x1b[0m'), cursorX: 5 });

    assert.deepEqual(prompt, { kind: 'draft', text: 'git', cursor: 3 });
  });
});

function shapeOf({ program }: RecordedScreen): MainPrompt {
  const shape = MAIN_PROMPTS.get(program);
  assert.ok(shape, program);
  return shape;
}

/** The same screen with this in the field, in place of the placeholder. */
function typedInto(screen: RecordedScreen, text: string): RecordedScreen {
  const rows = screen.capture.split('\n');
  const row = rows[screen.cursorY] ?? '';
  const plain = row.replace(/\x1b\[[0-9;:]*m/g, '').replaceAll('\u00a0', ' ');
  const before = plain.slice(0, screen.cursorX).padEnd(screen.cursorX);
  const style =
    [
      ...rows
        .slice(0, screen.cursorY)
        .join('')
        .matchAll(/\x1b\[[0-9;:]*m/g),
    ].length > 0
      ? '\x1b[0m'
      : '';
  return { ...screen, capture: rows.with(screen.cursorY, `${style}${before}${text}\x1b[0m`).join('\n') };
}
