import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));

describe('the program', () => {
  const home = join(temporaryFolder(after), 'home');
  const cli = (...args: string[]) => runProgram(args, { home });

  test('--version prints the version of the package', async () => {
    const long = await cli('--version');
    const json = await cli('--version', '--json');

    assert.deepEqual(long, { code: 0, stdout: `${version}\n`, stderr: '' });
    assert.deepEqual(JSON.parse(json.stdout), { version });
  });

  test('--help lists every command, creates no home, and each listed command has its own help', async () => {
    const { code, stdout, stderr } = await cli('--help');

    assert.deepEqual([code, stderr], [0, '']);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) {2,}/gm)].map(([, path = '']) => path);
    for (const path of ['mcp', 'status', 'config show', 'db backup', 'sessions list', 'secret set']) {
      assert(commands.includes(path), `${path} is missing in:\n${stdout}`);
    }
    for (const path of commands) {
      const help = await cli(...path.split(' '), '--help');
      assert.equal(help.code, 0, path);
      assert(help.stdout.startsWith(`Usage: switchboard ${path}`), help.stdout);
    }
    assert.equal(existsSync(home), false);
  });

  test('an unknown command suggests a similar one', async () => {
    const { code, stdout, stderr } = await cli('db', 'bakcup');

    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^There is no command "db bakcup"\. Did you mean `switchboard db backup`\?\n/);
  });

  test('a command without its subcommand lists the subcommands, without internal ones', async () => {
    const { code, stderr } = await runProgram(['daemon'], { home });

    assert.equal(code, 2);
    assert.match(stderr, /^daemon needs one of status, stop, logs after it\.\n/);
  });

  test('an unknown option is a usage error that refers to the help', async () => {
    const { code, stderr } = await cli('db', 'backup', '--relpace');

    assert.equal(code, 2);
    assert.match(stderr, /Did you mean --replace\?\nRun `switchboard db backup --help` for usage\.\n$/);
  });

  test('with --json an error is one object on stderr', async () => {
    const usage = await cli('sessions', 'list', '--limit', 'many', '--json');
    const failure = await cli('sessions', 'show', 'nobody', '--json');

    assert.deepEqual([usage.code, usage.stdout], [2, '']);
    assert.equal(JSON.parse(usage.stderr).error.field, 'limit');
    assert.deepEqual([failure.code, failure.stdout], [1, '']);
    assert.equal(JSON.parse(failure.stderr).error.code, 'NOT_FOUND');
  });

  test('closed output makes the program exit quietly', async () => {
    const program = startProgram(['--help'], { home });
    const errors: Buffer[] = [];
    program.stderr.on('data', (chunk) => errors.push(chunk));
    program.stdout.destroy();
    program.stdin.end();

    const [code, signal] = await once(program, 'close');

    assert.deepEqual([code, signal, Buffer.concat(errors).toString()], [0, null, '']);
  });
});

describe('switchboard status and sessions', () => {
  const home = temporaryFolder(after);

  test('the status is printed as text and as JSON', async () => {
    const people = await runProgram(['status'], { home });
    const programs = await runProgram(['status', '--json'], { home });

    assert.equal(people.code, 0, people.stderr);
    assert.match(people.stdout, new RegExp(`^Switchboard ${version}, up for `));
    const status = JSON.parse(programs.stdout);
    assert.deepEqual([status.version, status.sources, status.servers], [version, [], []]);
    assert.equal(status.store.location, join(home, 'switchboard.db'));
  });

  test('CORE-06 a fresh home has no sessions', async () => {
    const { code, stdout } = await runProgram(['sessions', 'list'], { home });

    assert.deepEqual([code, stdout], [0, 'No sessions.\n']);
  });
});

describe('switchboard config', () => {
  const home = temporaryFolder(after);
  const configure = (yaml: string) => writeFileSync(join(home, 'config.yaml'), yaml);

  test('CORE-11 config path prints the file, and config validate accepts it', async () => {
    configure('logging:\n  level: debug\n');

    const path = await runProgram(['config', 'path', '--json'], { home });
    const valid = await runProgram(['config', 'validate'], { home });

    assert.equal(path.code, 0, path.stderr);
    assert(Object.values(JSON.parse(path.stdout)).includes(join(home, 'config.yaml')), path.stdout);
    assert.equal(valid.code, 0, valid.stderr);
  });

  test('CORE-11 config show prints values with their origin: flag before environment before file', async () => {
    configure('logging:\n  level: debug\nlimits:\n  max_concurrent: 7\n');
    const env = { SWITCHBOARD_LIMITS__MAX_CONCURRENT: '8' };

    const fromFile = await runProgram(['config', 'show'], { home });
    const fromEnvironment = await runProgram(['config', 'show'], { home, env });
    const fromFlag = await runProgram(['config', 'show', '--set', 'limits.max_concurrent=9'], { home, env });

    const lines = [fromFile, fromEnvironment, fromFlag].map(({ stdout }) =>
      stdout.split('\n').find((line) => line.includes('limits.max_concurrent ')),
    );
    assert.match(lines[0] ?? '', /\b7\b.*config\.yaml/);
    assert.match(lines[1] ?? '', /\b8\b.*SWITCHBOARD_LIMITS__MAX_CONCURRENT/);
    assert.match(lines[2] ?? '', /\b9\b.*--set/);
  });

  test('CORE-11 an unknown key fails with key, file and line, as text and as JSON', async () => {
    configure('logging:\n  levle: debug\n');

    const people = await runProgram(['config', 'validate'], { home });
    const programs = await runProgram(['config', 'validate', '--json'], { home });

    assert.deepEqual([people.code, programs.code], [1, 1]);
    assert.match(people.stderr, /logging\.levle/);
    assert(people.stderr.includes(`${join(home, 'config.yaml')}:2`), people.stderr);
    assert.equal(JSON.parse(programs.stderr).error.code, 'VALIDATION_ERROR');
  });

  test('an invalid configuration fails every command that needs it, and is not a usage error', async () => {
    configure('logging: [\n');

    const { code, stdout, stderr } = await runProgram(['db', 'check'], { home });

    assert.deepEqual([code, stdout], [1, '']);
    assert(stderr.includes('config.yaml:'), stderr);
  });
});

describe('switchboard db', () => {
  const folder = temporaryFolder(after);
  const home = join(folder, 'home');
  const db = (...args: string[]) => runProgram(['db', ...args], { home, cwd: folder });

  test('a new home is readable only by its user', async () => {
    const { code, stderr } = await db('check');

    assert.equal(code, 0, stderr);
    assert.equal(statSync(home).mode & 0o777, 0o700);
    assert.equal(statSync(join(home, 'switchboard.db')).mode & 0o777, 0o600);
  });

  test('a backup without a path creates a new file in the home', async () => {
    const { code, stdout, stderr } = await db('backup', '--json');

    assert.equal(code, 0, stderr);
    const { path, bytes } = JSON.parse(stdout);
    assert(path.startsWith(join(home, 'backups', 'switchboard-')), path);
    assert.equal(statSync(path).size, bytes);
  });

  test('a backup is written to the given path, and replaces a file only on request', async () => {
    const first = await db('backup', 'copy.db');
    const second = await db('backup', 'copy.db');
    const third = await db('backup', 'copy.db', '--replace');

    assert.deepEqual([first.code, third.code], [0, 0], first.stderr + third.stderr);
    assert.notEqual(second.code, 0);
    assert.match(first.stdout, /copy\.db/);
    assert.equal(existsSync(join(folder, 'copy.db')), true);
  });

  test('a backup is an independent store that passes the check', async () => {
    const other = temporaryFolder(after);
    await db('backup', join(other, 'switchboard.db'));

    const { code, stdout, stderr } = await runProgram(['db', 'check', '--json'], { home: other });

    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).ok, true);
  });

  test('a damaged store fails the check', async () => {
    const other = temporaryFolder(after);
    const file = join(other, 'switchboard.db');
    await db('backup', file);
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4096, 4096 * 3);
    writeFileSync(file, bytes);

    const { code, stdout, stderr } = await runProgram(['db', 'check'], { home: other });

    assert.deepEqual([code, stdout], [1, '']);
    assert.notEqual(stderr, '');
    assert.doesNotMatch(stderr, /\n {4}at /);
  });

  test('a vacuum prints the sizes', async () => {
    const { code, stdout } = await db('vacuum', '--json');

    assert.equal(code, 0);
    assert.deepEqual(Object.keys(JSON.parse(stdout)), ['bytes_before', 'bytes_after']);
  });
});

describe('switchboard secret', () => {
  const home = temporaryFolder(after);
  const secret = (args: string[], stdin = '') => runProgram(['secret', ...args], { home, stdin });

  test('a secret is set from standard input, listed only by name, and deleted', async () => {
    const value = 'correct horse battery staple';

    const set = await secret(['set', 'GITHUB_TOKEN'], `${value}\n`);
    const listed = await secret(['list', '--json']);
    const table = await secret(['list']);
    const deleted = await secret(['delete', 'GITHUB_TOKEN']);
    const empty = await secret(['list']);

    assert.deepEqual([set.code, listed.code, deleted.code], [0, 0, 0], set.stderr + listed.stderr + deleted.stderr);
    assert.deepEqual(
      JSON.parse(listed.stdout).secrets.map(({ name }: { name: string }) => name),
      ['GITHUB_TOKEN'],
    );
    assert.match(table.stdout, /^GROUP +NAME +UPDATED\nshared +GITHUB_TOKEN/);
    assert.equal(empty.stdout, 'No secrets.\n');
    const said = [set, listed, table, deleted].map(({ stdout, stderr }) => stdout + stderr).join('');
    assert(!said.includes(value));
  });

  test('an empty secret is a usage error', async () => {
    const { code, stderr } = await secret(['set', 'EMPTY']);

    assert.equal(code, 2);
    assert.match(stderr, /value/);
  });

  test('a secret that does not exist cannot be deleted', async () => {
    const { code, stderr } = await secret(['delete', 'NOTHING']);

    assert.equal(code, 1);
    assert.match(stderr, /There is no such secret/);
  });
});
