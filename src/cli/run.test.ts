import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { addNote, countNotes, listNotes } from '../../tests/support/cli/operations.ts';
import { runCli } from '../../tests/support/cli/run-cli.ts';
import { AppError } from '../domain/errors.ts';
import { version } from '../lib/version.ts';
import { operation } from '../operation.ts';

const operations = [addNote, listNotes, countNotes];

describe('running a command', () => {
  test('the text of an operation is written to stdout, and nothing to stderr', async () => {
    const result = await runCli(['notes', 'count'], { operations });

    assert.deepEqual(result, {
      code: 0,
      stdout: 'There are 2 notes.\\x07\n',
      stderr: '',
      calls: ['load', 'load', 'compose', 'close'],
    });
  });

  test('with --json, at any position, the output is the whole answer on one line', async () => {
    const lines = [
      ['--json', 'notes', 'list'],
      ['notes', '--json', 'list'],
      ['notes', 'list', '--json'],
    ];

    for (const argv of lines) {
      const { code, stdout } = await runCli(argv, { operations });

      assert.equal(code, 0);
      assert.equal(stdout.indexOf('\n'), stdout.length - 1);
      assert.equal(JSON.parse(stdout).notes.length, 2);
    }
  });

  test('the required text is read from standard input, without the trailing newline', async () => {
    const { stdout } = await runCli(['notes', 'add', 'Groceries', '--json'], { operations, stdin: 'milk\neggs\n' });

    assert.deepEqual(JSON.parse(stdout), { id: 'n1', title: 'Groceries', body: 'milk\neggs', tags: [] });
  });

  test('a terminal is not waited for: the message states what is expected', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });

    const { code, stderr, calls } = await runCli(['notes', 'add', 'Groceries'], { operations, stdin });

    assert.equal(code, 2);
    assert.match(stderr, /^body is read from standard input/);
    assert(!calls.includes('compose'));
  });

  test('a global option that takes no value says so', async () => {
    const { code, stderr } = await runCli(['notes', 'list', '--json=true'], { operations });

    assert.equal(code, 2);
    assert.match(stderr, /^--json takes no value\./);
  });

  test('--home and --set reach the composition', async () => {
    const seen: unknown[] = [];

    await runCli(['--home', '/srv/sb', 'notes', 'count', '--set', 'logging.level=debug', '--set=auth.token=a=b'], {
      operations,
      compose: async (options) => void seen.push(options),
    });

    assert.deepEqual(seen, [{ home: '/srv/sb', flags: { 'logging.level': 'debug', 'auth.token': 'a=b' } }]);
  });

  test('the version is printed without loading anything', async () => {
    const plain = await runCli(['--version']);
    const json = await runCli(['-v', '--json']);

    assert.deepEqual([plain.stdout, plain.calls], [`${version()}\n`, []]);
    assert.equal(json.stdout, `{"version":"${version()}"}\n`);
  });

  test('help is shown for everything, a group and a command, and opens nothing', async () => {
    const lines = [[], ['--help'], ['help'], ['notes', '-h'], ['help', 'notes', 'add'], ['notes', 'add', '--help']];

    for (const argv of lines) {
      const { code, stdout, stderr, calls } = await runCli(argv, { operations });

      assert.equal(code, 0);
      assert.match(stdout, /^Usage: switchboard/m);
      assert.equal(stderr, '');
      assert(!calls.includes('compose'));
    }
  });
});

describe('a wrong call', () => {
  const wrong: [string[], RegExp][] = [
    [['notse', 'list'], /^There is no command "notse"\. Did you mean `switchboard notes`\?\nRun `switchboard --help`/],
    [
      ['notes', 'lsit'],
      /^There is no command "notes lsit"\. Did you mean `switchboard notes list`\?\nRun `switchboard notes --help`/,
    ],
    [['notes', 'li'], /^There is no command "notes li"\. Did you mean `switchboard notes list`\?/],
    [['count'], /Did you mean `switchboard notes count`\?/],
    [['help', 'nothing-like-it'], /^There is no command "nothing-like-it"\.\n/],
    [['notes'], /^notes needs one of add, list, count after it\.\nRun `switchboard notes --help` for usage/],
    [['--limit', '5', 'notes', 'list'], /^"--limit" is no option of switchboard itself/],
    [['notes', 'list', '--limt', '5'], /^notes list has no option "--limt"\. Did you mean --limit\?\n/],
    [['notes', 'list', '--limit', '51'], /^--limit takes a whole number from 1 to 50, not "51"\.\n/],
    [['notes', 'list', '--home'], /^--home needs a value\./],
    [['notes', 'list', '--home='], /^--home needs a folder\./],
    [['notes', 'list', '--set', 'nothing'], /^--set takes KEY=VALUE/],
    [['no\x1b[2J\ntes'], /^There is no command "no\\u001b\[2J\\ntes"\.\n/],
  ];
  for (const [argv, message] of wrong) {
    test(`${JSON.stringify(argv.join(' '))} is a message on stderr and exit code 2`, async () => {
      const { code, stdout, stderr, calls } = await runCli(argv, { operations });

      assert.match(stderr, message);
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert(!calls.includes('compose'));
    });
  }

  test('with --json it is an error object on stderr', async () => {
    const { code, stderr } = await runCli(['notes', 'list', '--limit=x', '--json'], { operations });

    assert.equal(code, 2);
    assert.deepEqual(JSON.parse(stderr), {
      error: {
        code: 'VALIDATION_ERROR',
        message: '--limit takes a whole number from 1 to 50, not "x".',
        field: 'limit',
        hint: 'Run `switchboard notes list --help` for usage.',
      },
    });
  });

  test('--json without a command is an error object too', async () => {
    const { code, stderr } = await runCli(['--json'], { operations });

    assert.equal(code, 2);
    assert.equal(JSON.parse(stderr).error.message, 'A command is needed.');
  });

  test('every command line ends with an exit code and a message', async () => {
    const pieces = [
      'notes',
      'list',
      'add',
      'mcp',
      'help',
      '--json',
      '--help',
      '--',
      '-',
      '--home',
      '--set',
      '--port',
      '-1',
    ];
    const argument = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: 'binary' }));

    await fc.assert(
      fc.asyncProperty(fc.array(argument, { maxLength: 6 }), async (argv) => {
        const { code, stdout, stderr } = await runCli(argv, {
          operations,
          serveStdio: async () => 0,
          serveHttp: async () => 0,
        });

        assert([0, 2].includes(code), stderr);
        assert.equal(code === 0, stderr === '');
        assert.doesNotMatch(stdout + stderr, /[^\n\P{Cc}]/u);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a failed operation', () => {
  const failing = (error: unknown) => ({ operations, call: () => Promise.reject(error) });

  test('is a message and a hint on stderr and exit code 1, and everything is closed', async () => {
    const error = new AppError('NOT_FOUND', 'There is no such note.', { hint: 'List them first.' });

    const { code, stdout, stderr, calls } = await runCli(['notes', 'count'], failing(error));

    assert.deepEqual([code, stdout, stderr], [1, '', 'There is no such note.\nList them first.\n']);
    assert.equal(calls.at(-1), 'close');
  });

  test('the words of another server are quoted below, the last ones', async () => {
    const tail = [...Array.from({ length: 20 }, (_, at) => `line ${at}`), 'Done.\x1b[2J\n'].join('\n');
    const error = new AppError('SERVICE_UNAVAILABLE', "Server 'x' ended.", { upstream: { stderr_tail: tail } });

    const { stderr } = await runCli(['notes', 'count'], failing(error));

    const quoted = Array.from({ length: 9 }, (_, at) => `> line ${at + 11}`);
    assert.deepEqual(stderr.trimEnd().split('\n'), ["Server 'x' ended.", ...quoted, '> Done.\\x1b[2J']);
  });

  test('with --json is the error object', async () => {
    const error = new AppError('BUSY', 'Too much at once.', { field: 'limit', cause: new Error('secret') });

    const { code, stderr } = await runCli(['notes', 'count', '--json'], failing(error));

    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(stderr), { error: { code: 'BUSY', message: 'Too much at once.', field: 'limit' } });
  });

  test('an argument that the operation refuses is wrong usage', async () => {
    const error = new AppError('VALIDATION_ERROR', 'Not that many.', { field: 'limit' });

    const { code, stderr } = await runCli(['notes', 'list'], failing(error));

    assert.deepEqual([code, stderr], [2, 'Not that many.\n']);
  });

  test('an input that the schema as a whole refuses is wrong usage', async () => {
    const either = operation({
      ...countNotes,
      input: z.strictObject({ a: z.string().optional(), b: z.string().optional() }).refine(({ a, b }) => a ?? b),
    });
    const call = () => Promise.reject(new AppError('VALIDATION_ERROR', 'Give a or b.'));

    const { code, stderr } = await runCli(['notes', 'count'], { operations: [either], call });

    assert.equal(code, 2);
    assert.equal(stderr, 'Give a or b.\nRun `switchboard notes count --help` for usage.\n');
  });

  test('a wrong value in a file is a failure, not wrong usage', async () => {
    const error = new AppError('VALIDATION_ERROR', 'server.prot is unknown.', { field: 'server.prot' });

    const inCall = await runCli(['notes', 'list'], failing(error));
    const several = await runCli(['notes', 'list'], failing(new AppError('VALIDATION_ERROR', 'Two keys are unknown.')));
    const inCompose = await runCli(['notes', 'list'], { operations, compose: () => Promise.reject(error) });

    assert.deepEqual([inCall.code, several.code, inCompose.code], [1, 1, 1]);
  });

  test('a bug shows neither its message nor its stack', async () => {
    const { code, stderr } = await runCli(['notes', 'list'], failing(new TypeError('x is not a function')));

    assert.equal(code, 1);
    assert.equal(stderr, 'Something went wrong inside Switchboard; its log has the details.\n');
  });

  test('a signal stops the operation, and the message says so', async () => {
    const before = process.listeners('SIGTERM');
    const { code, stderr } = await runCli(['notes', 'list'], {
      operations,
      call: (_operation, _input, _progress, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          // Not emitted: the test runner listens too.
          const own = process.listeners('SIGTERM').filter((listener) => !before.includes(listener));
          for (const listener of own) listener('SIGTERM');
        }),
    });

    assert.deepEqual([code, stderr], [1, 'Interrupted.\n']);
    assert.deepEqual(process.listeners('SIGTERM'), before);
  });
});

describe('switchboard mcp', () => {
  test('without a port it serves stdio, and loads no list of commands', async () => {
    const served: unknown[] = [];

    const { code, stdout, calls } = await runCli(['mcp', '--only', 'chat,email', '--embedded', '--read-only'], {
      serveStdio: async (options) => served.push(options) - 1,
    });

    assert.deepEqual(served, [{ only: ['chat', 'email'], readOnly: true, embedded: true }]);
    assert.deepEqual([code, stdout, calls], [0, '', ['load', 'compose', 'close']]);
  });

  test('with a port it serves HTTP, on this machine alone by default', async () => {
    const served: unknown[] = [];
    const serveHttp = async (options: object) => served.push(options);

    await runCli(['mcp', '--port', '0'], { serveHttp });
    await runCli(['mcp', '--port=65535', '--host', '::', '--token', 'T'], { serveHttp });

    assert.deepEqual(served, [
      { only: [], readOnly: false, port: 0, host: '127.0.0.1' },
      { only: [], readOnly: false, port: 65_535, host: '::', token: 'T' },
    ]);
  });

  for (const port of ['65536', '-1', '80.5', '0x50', 'http', '']) {
    test(`port ${JSON.stringify(port)} is refused`, async () => {
      const { code, stderr } = await runCli(['mcp', `--port=${port}`]);

      assert.equal(code, 2);
      assert.match(stderr, /^--port takes a whole number from 0 to 65535, not/);
    });
  }

  test('options of HTTP are refused without a port', async () => {
    const token = await runCli(['mcp', '--token', 'T']);
    const host = await runCli(['mcp', '--host', '0.0.0.0']);

    assert.deepEqual([token.code, host.code], [2, 2]);
    assert.match(token.stderr, /^--token goes with --port or --api-url\.\nRun `switchboard mcp --help`/);
    assert.match(host.stderr, /^--host goes with --port\./);
  });

  const refused: Record<string, RegExp> = {
    'mcp --api-url http://x --port 1': /^--port does not go with --api-url\./,
    'mcp --api-url http://x --embedded': /^--embedded does not go with --api-url\./,
    'mcp --api-url http://x --read-only': /^--read-only does not go with --api-url\./,
    'mcp --port 1 --token=': /^--token needs a value\./,
    'mcp --port 1 --host=': /^--host needs a value\./,
    'mcp --only=': /^--only needs a value\./,
    'mcp --api-url http://x --token=': /^--token needs a value\./,
    'serve --token=': /^--token needs a value\./,
    'mcp --api-url x:1': /^--api-url takes an address such as http:\/\/host:3000, not "x:1"\./,
    'mcp --api-url http://x --set logging.level=debug':
      /^With --api-url only --only, --token, --home and --json can be given\./,
  };
  for (const [line, words] of Object.entries(refused)) {
    test(`EMAIL-02 \`${line}\` is refused`, async () => {
      const { code, stderr } = await runCli(line.split(' '));

      assert.equal(code, 2);
      assert.match(stderr, words);
    });
  }
});
