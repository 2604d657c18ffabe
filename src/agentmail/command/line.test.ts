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

describe('the command line of agentmail', () => {
  test('accepts flags before, between and after positional arguments, with one dash or two', () => {
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

  test('uses any next argument as the value of a flag', () => {
    assert.equal(parse('-m', '--hook').text('message'), '--hook');
    assert.equal(parse('-m', '').text('message'), '');
    assert.equal(parse('-m=a=b\nc').text('message'), 'a=b\nc');
  });

  test('treats arguments that only look like flags, and all after --, as positional', () => {
    const line = parse('-', '-1', '- item', '--- x', '-two words', '--', '--hook', '-zzz');

    assert.deepEqual(line.words, ['-', '-1', '- item', '--- x', '-two words', '--hook', '-zzz']);
    assert.equal(line.has('hook'), false);
  });

  test('accepts false for a flag without a value', () => {
    assert.deepEqual([parse('--hook').has('hook'), parse('--hook=false').has('hook')], [true, false]);
    assert.throws(() => parse('--hook=perhaps'), /invalid boolean value "perhaps" for -hook: parse error/);
  });

  test('has the error messages of the original program', () => {
    const wrong = 'error parsing commandline arguments: ';

    assert.throws(() => parse('-zzz'), { message: `${wrong}flag provided but not defined: -zzz` });
    assert.throws(() => parse('-m'), { message: `${wrong}flag needs an argument: -m` });
    assert.throws(() => parse('--limit', 'x'), { message: `${wrong}invalid value "x" for flag -limit: parse error` });
    assert.throws(() => parse('--mesage', 'x'), { hint: /^did you mean --message\?/ });
  });

  test('passes arguments after -- unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        assert.deepEqual(parse('--', ...words).words, words);
      }),
    );
  });
});
