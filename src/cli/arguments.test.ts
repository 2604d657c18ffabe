import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isOption, parseArguments } from './arguments.ts';
import { type Command, type Field, type FieldType, type Signature, UsageError } from './command.ts';

function field(name: string, type: FieldType, more: Partial<Field> = {}): Field {
  return { place: [name], names: [name], type, required: false, ...more };
}

const text = { kind: 'text' } as const;
const source = field('source', text, { required: true });
const chat = field('chat', text);
const words = field('words', { kind: 'list', of: text });
const limit = field('limit', { kind: 'number', whole: true, min: -10, max: 500 });
const ratio = field('ratio', { kind: 'number', whole: false });
const replace = field('replace', { kind: 'flag' });
const kind = field('kind', { kind: 'choice', values: ['direct', 'group'] });
const only = field('only', { kind: 'list', of: text });
const args = field('args', { kind: 'json', orText: false });
const tls = field('tls', { kind: 'json', orText: true });
const file = field('file', { kind: 'path' });
const chatType = field('chat_type', text, {
  place: ['filter', 'chat_type'],
  names: ['chat-type', 'filter.chat-type'],
});
const body = field('body', text);

const everything: Signature = {
  fields: [source, chat, words, limit, ratio, replace, kind, only, args, tls, file, chatType, body],
  positionals: [source, chat, words],
  stdin: body,
};

function commandWith(signature: Signature): Command {
  return {
    path: 'chat messages',
    group: 'chat',
    description: 'Messages.',
    examples: [],
    invalidInput: 'INVALID_PARAMETER',
    signature: () => signature,
    run: async () => 0,
  };
}

const command = commandWith(everything);
const parse = (...argv: string[]) => parseArguments(command, argv).input;

describe('arguments of a command', () => {
  test('options may be at any position, with a space or an equals sign before the value', () => {
    const input = parse('--limit', '5', 'telegram', '--kind=group', 'Family', '--replace', 'a', 'b');

    assert.deepEqual(input, {
      limit: 5,
      source: 'telegram',
      kind: 'group',
      chat: 'Family',
      replace: true,
      words: ['a', 'b'],
    });
  });

  test('after -- everything is an argument', () => {
    const input = parse('telegram', '--', '--limit', '-h', '--');

    assert.deepEqual(input, { source: 'telegram', chat: '--limit', words: ['-h', '--'] });
  });

  test('negative numbers and times are values, not options', () => {
    const input = parse('-7d', '--limit', '-3', '--ratio', '-.5');

    assert.deepEqual(input, { source: '-7d', limit: -3, ratio: -0.5 });
  });

  test('a flag can be turned off, and accepts a value after an equals sign', () => {
    const inputs = [parse('s', '--no-replace'), parse('s', '--replace=false'), parse('s', '--replace=true')];

    assert.deepEqual(
      inputs.map((input) => input.replace),
      [false, false, true],
    );
  });

  test('a list is repeated or separated by commas, or a JSON array if items contain commas', () => {
    const input = parse('s', '--only', 'chat, email', '--only=servers', '--only', '["a,b"]');

    assert.deepEqual(input.only, ['chat', 'email', 'servers', 'a,b']);
  });

  test('arguments of a list are items, unchanged', () => {
    const input = parse('s', 'c', 'a,b', '[1]');

    assert.deepEqual(input.words, ['a,b', '[1]']);
  });

  test('a nested field has a short and a long name, and dashes may be underscores', () => {
    const inputs = [parse('s', '--chat-type', 'x'), parse('s', '--filter.chat-type', 'x'), parse('s', '--chat_type=x')];

    for (const input of inputs) assert.deepEqual(input.filter, { chat_type: 'x' });
  });

  test('a value without a specific type is JSON, or a text where that is allowed', () => {
    const input = parse('s', '--args', '{"a":[1]}', '--tls', 'starttls');

    assert.deepEqual([input.args, input.tls, parse('s', '--tls', 'true').tls], [{ a: [1] }, 'starttls', true]);
  });

  test('a path is made absolute, because another process may use it', () => {
    const input = parse('s', '--file', 'copy.db');

    assert.equal(input.file, resolve('copy.db'));
  });

  test('a positional may be set as an option, and arguments fill the remaining ones', () => {
    const input = parse('--source', 'telegram', 'Family');

    assert.deepEqual(input, { source: 'telegram', chat: 'Family' });
  });

  test('a dash means standard input only in the field that is read from there', () => {
    const parsed = parseArguments(command, ['-', '--body', '-']);

    assert.deepEqual(parsed, { input: { source: '-' }, fromStdin: body });
  });

  test('a required field is read from standard input when it is not set', () => {
    const value = field('value', text, { required: true });
    const secret = commandWith({ fields: [source, value], positionals: [source], stdin: value });

    assert.equal(parseArguments(secret, ['NAME']).fromStdin, value);
    assert.equal(parseArguments(secret, ['NAME', '-']).fromStdin, value);
    assert.equal(parseArguments(secret, ['NAME', '--value', 'x']).fromStdin, undefined);
    assert.throws(() => parseArguments(secret, ['NAME', '--value', 'x', '-']), /"-" is one too many/);
  });
});

describe('wrong arguments', () => {
  const few = commandWith({ fields: [source, limit], positionals: [source] });
  const wrong: [string, Command, string[], RegExp, string?][] = [
    ['an unknown option', command, ['s', '--limti', '5'], /no option "--limti"\. Did you mean --limit\?/],
    ['an unknown short option', command, ['s', '-x'], /no option "-x"/],
    ['an option that is only two dashes and a value', command, ['s', '--=1'], /no option "--"/],
    ['an option without a value', command, ['s', '--limit'], /--limit needs a value\./, 'limit'],
    ['an option before another', command, ['s', '--chat', '--limit'], /a dash is written --chat=VALUE/, 'chat'],
    ['an option given twice', command, ['s', '--limit', '1', '--limit', '2'], /--limit is given twice/, 'limit'],
    ['a number that is none', command, ['s', '--limit', '1e2'], /whole number from -10 to 500, not "1e2"/, 'limit'],
    ['a number out of range', command, ['s', '--limit=501'], /not "501"/, 'limit'],
    ['an empty number', command, ['s', '--ratio='], /--ratio takes a number, not ""/, 'ratio'],
    [
      'a choice that is not offered',
      command,
      ['s', '--kind', 'grup'],
      /one of direct, group, not "grup".*group/,
      'kind',
    ],
    ['a flag with a strange value', command, ['s', '--replace=maybe'], /`true` or `false`/, 'replace'],
    ['broken JSON', command, ['s', '--args', '{'], /takes JSON, which "\{" is not/, 'args'],
    ['nothing at all', command, [], /chat messages needs <source>\./, 'source'],
    ['a negated option that is no flag', command, ['s', '--no-limit'], /no option "--no-limit"/],
    ['one argument too many', few, ['a', 'b'], /takes <source>; "b" is one too many/],
    ['a positional given twice', few, ['--source', 'a', 'b'], /"b" is one too many/],
  ];
  for (const [name, called, argv, message, wrongField] of wrong) {
    test(`${name} is reported in a message with a hint`, () => {
      assert.throws(
        () => parseArguments(called, argv),
        (error: unknown) => {
          assert(error instanceof UsageError);
          assert.match(error.message, message);
          assert.equal(error.field, wrongField);
          assert.equal(error.code, 'INVALID_PARAMETER');
          assert.equal(error.hint, 'Run `switchboard chat messages --help` for usage.');
          return true;
        },
      );
    });
  }

  test('no command line makes the parser fail with anything but a usage error', () => {
    const pieces = ['--', '-', '--limit', '--only', '--no-replace', '--replace=', '=', '--__proto__', '-5', '[', '{}'];
    const argument = fc.oneof(
      fc.constantFrom(...pieces),
      fc.string({ unit: 'binary' }),
      fc.string().map((s) => `--${s}`),
    );

    fc.assert(
      fc.property(fc.array(argument, { maxLength: 8 }), (argv) => {
        try {
          parseArguments(command, argv);
        } catch (error) {
          assert(error instanceof UsageError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a round trip', () => {
  const safeText = fc.string({ unit: 'binary', maxLength: 12 });
  const values = fc.record(
    {
      source: safeText.filter((value) => !isOption(value)),
      limit: fc.integer({ min: -10, max: 500 }),
      ratio: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
      replace: fc.boolean(),
      kind: fc.constantFrom('direct', 'group'),
      only: fc.array(safeText, { minLength: 1 }),
      args: fc.jsonValue(),
      body: safeText.filter((value) => value !== '-'),
    },
    { requiredKeys: ['source'] },
  );

  test('every input that is written as arguments is parsed back unchanged', () => {
    fc.assert(
      fc.property(values, fc.boolean(), ({ source: first, ...others }, sourceLast) => {
        const options = Object.entries(others).map(([name, value]) => `--${name}=${written(name, value)}`);
        const argv = sourceLast ? [...options, '--', first] : [first, ...options];

        const { input } = parseArguments(command, argv);

        assert.deepEqual(input, { source: first, ...plain(others) });
      }),
      { numRuns: 500 },
    );
  });

  function written(name: string, value: unknown): string {
    return name === 'only' || name === 'args' ? JSON.stringify(value) : String(value);
  }

  function plain(value: object): object {
    return JSON.parse(JSON.stringify(value));
  }
});
