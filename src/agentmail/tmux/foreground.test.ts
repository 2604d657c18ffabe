import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Foreground, judge, type Member, parsePs, parseStat } from './foreground.ts';

describe('the program in the foreground', () => {
  test('is the agent, not the programs that it started without the terminal', () => {
    const found = judge(10, [member(10, 1, 'node /bin/claude'), member(11, 10, 'bash -c tests', false)]);

    assert.deepEqual(named(found), [10, 'claude', 'agent']);
  });

  test('is the editor that an agent opened in the terminal', () => {
    const found = judge(10, [member(10, 1, 'claude'), member(11, 10, 'sh -c vim'), member(12, 11, 'vim notes')]);

    assert.deepEqual(named(found), [10, 'vim', 'never']);
  });

  test('is the agent that a script has started', () => {
    const found = judge(10, [member(10, 1, 'sh -c codex;true'), member(11, 10, 'codex')]);

    assert.deepEqual(named(found), [10, 'codex', 'agent']);
  });

  test('is the shell that waits for a command', () => {
    assert.equal(judge(10, [member(10, 1, '-bash')])?.kind, 'never');
  });

  test('is unknown where no process reads from the terminal', () => {
    assert.equal(judge(10, [member(10, 1, 'claude', false)]), undefined);
  });
});

test('a stat line is parsed after a name that contains spaces and brackets', () => {
  const parsed = parseStat('42 (my) tmux: (x) S 1 42 42 34816 77 4194304');

  assert.deepEqual(parsed, { name: 'my) tmux: (x', parent: 1, group: 42, terminalGroup: 77 });
});

test('without /proc the foreground process is the one with a plus in its state', () => {
  const text =
    '  500  499  500 Ss   -zsh\n  612  500  612 S+   node /usr/local/bin/gemini\n  640  612  612 S+   node server.js\n';

  const found = parsePs(text);

  assert.deepEqual(named(found && judge(found.group, found.members)), [612, 'gemini', 'agent']);
});

function member(pid: number, parent: number, command: string, reads = true): Member {
  return { pid, parent, command: command.split(' '), reads };
}

function named(found: Foreground | undefined) {
  return found && [found.group, found.name, found.kind];
}
