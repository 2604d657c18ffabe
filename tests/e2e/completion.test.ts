import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);

describe('completion in bash', () => {
  const folder = temporaryFolder(after);
  const script = join(folder, 'completion.bash');

  before(async () => {
    const { stdout } = await runProgram(['completion', 'bash'], { home: join(folder, 'home') });
    writeFileSync(script, stdout);
    writeFileSync(join(folder, 'a-file.db'), '');
  });

  /** The candidates of bash for the last word. */
  async function offered(...words: string[]): Promise<string[]> {
    const program = `
      source "$1"; shift
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      $(complete -p switchboard | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['--norc', '-c', program, 'bash', script, 'switchboard', ...words], {
      cwd: folder,
      timeout: 60_000,
    });
    return stdout.split('\n').filter((line) => line !== '');
  }

  test('the first word is completed to a command', async () => {
    const all = await offered('');

    for (const word of ['mcp', 'db', 'token', 'connect', 'doctor', 'completion', 'help', '--version']) {
      assert(all.includes(word), `${word} is missing in ${all}`);
    }
    assert.equal(all.filter((word) => word === 'db').length, 1);
    assert.deepEqual(await offered('do'), ['doctor']);
  });

  test('the second word is completed to a subcommand', async () => {
    assert.deepEqual((await offered('token', '')).slice(0, 3), ['add', 'list', 'remove']);
    assert.deepEqual(await offered('db', 'b'), ['backup']);
    assert.deepEqual(await offered('--json', 'db', 'b'), ['backup']);
  });

  test('further words are completed to options, and to values if they are known', async () => {
    assert.deepEqual(await offered('token', 'add', 'ci', '--s'), ['--scopes', '--send-chats', '--send', '--set']);
    assert.deepEqual(await offered('connect', 'cl'), ['claude-code', 'claude-desktop', 'cline']);
    assert.deepEqual(await offered('connect', 'codex', '--p'), ['--print']);
    assert.deepEqual(await offered('completion', 'z'), ['zsh']);
    assert.deepEqual(await offered('sessions', 'list', '--limit', ''), []);
    assert.deepEqual(await offered('doctor', '--home', 'a-'), ['a-file.db']);
  });

  test('internal commands are not offered', async () => {
    const words = await offered('daemon', '');

    assert(!words.includes('run'));
  });
});
