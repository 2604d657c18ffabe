import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Flag, parseLine } from './line.ts';

const FLAGS: readonly Flag[] = [
  { names: ['message', 'm'], takes: 'text', description: '' },
  { names: ['hook'], takes: 'nothing', description: '' },
  { names: ['limit'], takes: 'number', description: '' },
];

const parse = (...args: string[]) => parseLine(FLAGS, args);

describe('a line of the agentmail command', () => {
  test('flags stand before, between and after words, with one dash or two', () => {
    const forms = [
      ['-m', 'hi', 'a2'],
      ['a2', '--message', 'hi'],
      ['a2', '-message=hi'],
      ['--m=hi', 'a2'],
    ];

    for (const form of forms) {
      const line = parse(...form);
      assert.deepEqual([line.words, line.text('message')], [['a2'], 'hi']);
    }
  });

  test('a flag takes the next argument, whatever it is', () => {
    assert.equal(parse('-m', '--hook').text('message'), '--hook');
    assert.equal(parse('-m', '').text('message'), '');
    assert.equal(parse('-m=a=b\nc').text('message'), 'a=b\nc');
  });

  test('what only begins like a flag is a word, and so is all after --', () => {
    const line = parse('-', '-1', '- item', '--- x', '-two words', '--', '--hook', '-zzz');

    assert.deepEqual(line.words, ['-', '-1', '- item', '--- x', '-two words', '--hook', '-zzz']);
    assert.equal(line.has('hook'), false);
  });

  test('a flag without a value can be turned off', () => {
    assert.deepEqual([parse('--hook').has('hook'), parse('--hook=false').has('hook')], [true, false]);
    assert.throws(() => parse('--hook=perhaps'), /invalid boolean value "perhaps" for -hook: parse error/);
  });

  test('errors have the wording of the original program', () => {
    const wrong = 'error parsing commandline arguments: ';

    assert.throws(() => parse('-zzz'), { message: `${wrong}flag provided but not defined: -zzz` });
    assert.throws(() => parse('-m'), { message: `${wrong}flag needs an argument: -m` });
    assert.throws(() => parse('--limit', 'x'), { message: `${wrong}invalid value "x" for flag -limit: parse error` });
    assert.throws(() => parse('--mesage', 'x'), { hint: /^did you mean --message\?/ });
  });

  test('words after -- arrive as they are', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        assert.deepEqual(parse('--', ...words).words, words);
      }),
    );
  });
});
