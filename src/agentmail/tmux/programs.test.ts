import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf, programName } from './programs.ts';

test('agents are recognised by name, however they are started', () => {
  const commands = [
    ['claude'],
    ['/usr/local/bin/codex', '--search'],
    ['node', '/home/u/.npm/bin/gemini'],
    ['node', '--max-old-space-size=8192', '/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js'],
    ['/home/u/.local/share/claude/versions/2.1.233'],
    ['python3.13', '-m', 'aider'],
    ['/usr/bin/python3', '/home/u/.local/bin/aider', '--model', 'x'],
    ['bun', 'run', '/opt/opencode.ts'],
    ['npx', '-y', 'opencode@latest'],
    ['uvx', 'goose'],
    ['claude --resume'],
  ];

  const kinds = commands.map(kindOf);

  assert.deepEqual(new Set(kinds), new Set(['agent']));
});

test('shells, editors, pagers, remote shells, languages, databases and password prompts are never typed into', () => {
  const commands = [
    ['-bash'],
    ['/bin/zsh', '-l'],
    ['nvim', 'claude.md'],
    ['less', 'codex.log'],
    ['ssh', 'host', 'claude'],
    ['python3'],
    ['python3.13', '-i'],
    ['node'],
    ['psql', 'claude'],
    ['sudo', 'claude'],
    ['tmux', 'attach'],
    [''],
    [],
  ];

  const others = commands.filter((command) => kindOf(command) !== 'never');

  assert.deepEqual(others, []);
});

test('other programs are unknown', () => {
  assert.equal(kindOf(['my-agent']), 'unknown');
  assert.equal(kindOf(['node', '/srv/assistant.mjs']), 'unknown');
});

test('a program has its usual name', () => {
  assert.equal(programName(['node', '/srv/assistant.mjs', '--x']), 'assistant');
});
