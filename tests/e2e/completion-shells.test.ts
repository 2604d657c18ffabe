import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);

/** Calls our function like zsh's completion does, and prints the candidates. */
const ASK_ZSH = `
  autoload -Uz compinit; compinit -u -D
  source "$1"; shift
  words=("$@"); CURRENT=$#
  compadd() { shift; print -l -- "$@" }
  _files() { print FILES }
  _switchboard`;

describe('completion in other shells', () => {
  const folder = temporaryFolder(after);
  const scripts = { zsh: join(folder, '_switchboard'), fish: join(folder, 'switchboard.fish') };

  before(async () => {
    for (const shell of ['zsh', 'fish'] as const) {
      const { stdout } = await runProgram(['completion', shell], { home: join(folder, 'home') });
      writeFileSync(scripts[shell], stdout);
    }
    writeFileSync(join(folder, 'a-file.db'), '');
  });

  async function offeredByFish(line: string): Promise<string[]> {
    const program = `source ${scripts.fish}; complete -C ${JSON.stringify(line)}`;
    const { stdout } = await run('fish', ['--no-config', '-c', program], { cwd: folder, env: env() });
    return stdout
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => text.split('\t')[0] ?? '');
  }

  async function offeredByZsh(...words: string[]): Promise<string[]> {
    const args = ['-f', '-c', ASK_ZSH, 'zsh', scripts.zsh, 'switchboard', ...words];
    const { stdout } = await run('zsh', args, { cwd: folder, env: env() });
    return stdout.split('\n').filter((text) => text !== '');
  }

  function env(): NodeJS.ProcessEnv {
    return { ...process.env, HOME: folder };
  }

  test('fish offers commands, subcommands, options and values', async () => {
    assert.deepEqual(await offeredByFish('switchboard doct'), ['doctor']);
    assert.deepEqual(await offeredByFish('switchboard --json db b'), ['backup']);
    assert.deepEqual(await offeredByFish('switchboard token add ci --sc'), ['--scopes']);
    assert.deepEqual(await offeredByFish('switchboard connect claude'), ['claude-code', 'claude-desktop']);
    assert.deepEqual(await offeredByFish('switchboard doctor --home a-'), ['a-file.db']);
  });

  test('zsh offers commands, subcommands, options and values', async () => {
    assert((await offeredByZsh('')).includes('doctor'));
    assert.deepEqual((await offeredByZsh('db', '')).slice(0, 2), ['backup', 'check']);
    assert((await offeredByZsh('token', 'add', 'ci', '')).includes('--scopes'));
    assert((await offeredByZsh('connect', '')).includes('claude-code'));
    assert.deepEqual(await offeredByZsh('doctor', '--home', ''), ['FILES']);
  });
});
