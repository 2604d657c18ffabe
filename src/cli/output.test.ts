import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { countNotes, listNotes } from '../../tests/support/cli/operations.ts';
import { toFile, toTerminal } from '../../tests/support/cli/run-cli.ts';
import { operation } from '../operation.ts';
import { present } from './output.ts';
import { cell, table } from './table.ts';
import { displayWidth } from './text.ts';

const plain = operation({
  cli: { path: 'thing show' },
  kind: 'query',
  effect: 'reads',
  description: 'A thing.',
  input: z.object({}),
  output: z.looseObject({}),
  run: async () => ({}),
});

describe('output for people', () => {
  test('a list is a table, independent of the text for a model', () => {
    const notes = [
      { id: 'n1', title: '日本', pinned: true },
      { id: 'n2', title: 'abc', pinned: false },
    ];

    const text = present(listNotes, { notes }, toFile);

    assert.equal(text, ['ID  TITLE  PINNED', 'n1  日本   yes', 'n2  abc    no'].join('\n'));
  });

  test('untrusted text cannot start a line or control the terminal', () => {
    const text = present(listNotes, { notes: [{ id: 'n2', title: 'Evil\n\x1b[2Jn3', pinned: false }] }, toFile);

    assert.equal(text.split('\n').length, 2);
    assert.match(text, /Evil\\n\\x1b\[2Jn3/);
  });

  test('an empty list says so, and a page that is not the last says how to get the next', () => {
    const empty = present(listNotes, { notes: [] }, toFile);
    const page = present(listNotes, { notes: [{ id: 'n1', title: 'a', pinned: true }], next_cursor: 'n1' }, toFile);

    assert.equal(empty, 'No notes.');
    assert.match(page, /\nThere is more: add --cursor n1$/);
  });

  test('an answer that is not a list is the text of its operation, with control characters made visible', () => {
    const text = present(countNotes, { count: 2 }, toFile);

    assert.equal(text, 'There are 2 notes.\\x07');
  });

  test('an answer without a text is shown field by field, lists in it as tables', () => {
    const output = {
      created_at: '2026-01-01',
      store: { kind: 'sqlite', bytes: 5 },
      tags: ['a', 'b'],
      none: null,
      empty: [],
      servers: [{ id: 's1', state: 'running' }],
    };

    const text = present(plain, output, toFile);

    assert.equal(
      text,
      [
        'created at   2026-01-01',
        'store kind   sqlite',
        'store bytes  5',
        'tags         a, b',
        '',
        'servers',
        'ID  STATE',
        's1  running',
      ].join('\n'),
    );
  });

  test('in a file nothing is shortened, and a long value does not widen the other rows', () => {
    const long = 'x'.repeat(1000);
    const notes = [
      { id: 'n1', title: long, pinned: true },
      { id: 'n2', title: 'abc', pinned: false },
    ];

    const [, first, second] = present(listNotes, { notes }, toFile).split('\n');

    assert.equal(first, `n1  ${long}  yes`);
    assert.equal(second, `n2  abc${' '.repeat(37)}  no`);
  });

  test('headings are bold on a terminal', () => {
    const text = present(listNotes, { notes: [{ id: 'n1', title: 'a', pinned: true }] }, toTerminal(80));

    assert.equal(text.split('\n')[0], '\x1b[1mID  TITLE  PINNED\x1b[22m');
  });
});

describe('a table on a narrow terminal', () => {
  test('the widest column is shortened, ids never', () => {
    const rows = [{ id: '0123456789012345678901234', title: 'a very long title indeed', state: 'ready' }];

    const [, row] = table(['id', 'title', 'state'], rows, { ...toTerminal(44), colour: false }).split('\n');

    assert.equal(row, '0123456789012345678901234  a very lo…  ready');
  });

  test('a text to be read is wrapped in its column, and below its row if that is too narrow', () => {
    const rows = [
      { id: '0123456789', by: 'Ada Lovelace', text: 'The build is green again, see https://ci.example/builds/512' },
    ];
    const wrapped = (width: number) =>
      table(['id', 'by', 'text'], rows, { ...toTerminal(width), colour: false }, true).split('\n');

    assert.deepEqual(wrapped(52), [
      'ID          BY            TEXT',
      '0123456789  Ada Lovelace  The build is green again,',
      '                          see',
      '                          https://ci.example/builds/',
      '                          512',
    ]);
    assert.deepEqual(wrapped(30), [
      'ID          BY',
      '    TEXT',
      '0123456789  Ada Lovelace',
      '    The build is green again,',
      '    see',
      '    https://ci.example/builds/',
      '    512',
    ]);
  });

  test('a whole text loses nothing, and no line of it is wider than the terminal or begins like a row', () => {
    const rows = fc.array(fc.record({ id: fc.nat(), text: fc.string({ unit: 'binary' }) }), { minLength: 1 });

    fc.assert(
      fc.property(rows, fc.integer({ min: 8, max: 100 }), (each, width) => {
        const lines = table(['id', 'text'], each, { ...toTerminal(width), colour: false }, true).split('\n');

        const shown = lines.join('').replaceAll(' ', '');
        assert(lines.every((line) => displayWidth(line) <= width));
        assert(each.every(({ text }) => shown.includes(cell(text).replaceAll(' ', ''))));
        assert.equal(lines.filter((line) => !line.startsWith(' ')).length, each.length + 1);
      }),
    );
  });

  test('no line is wider than the terminal', () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean(), fc.constant(undefined));
    const rows = fc.array(fc.record({ id: value, content: value, b: value, c: value }), { minLength: 1 });

    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 100 }), (each, width) => {
        const text = table(['id', 'content', 'b', 'c'], each, { ...toTerminal(width), colour: false });

        const lines = text.split('\n');
        assert.equal(lines.length, each.length + 1);
        assert(lines.every((line) => displayWidth(line) <= width));
      }),
    );
  });
});
