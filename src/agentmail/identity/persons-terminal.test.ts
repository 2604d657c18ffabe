import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { standAt, temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import { manualClock } from '../../../tests/support/manual-clock.ts';
import { createPostOffice } from '../delivery/post-office.ts';
import type { ProcessFacts } from '../tmux/process-facts.ts';
import { hasStatus, isShell, isStartedByPerson } from './persons-terminal.ts';

interface Recorded {
  command: readonly string[];
  name?: string;
  hasTerminal?: boolean;
  env?: Readonly<Record<string, string>>;
}

/** A process tree as it was recorded, nearest first. */
function tree(...recorded: Recorded[]): ProcessFacts[] {
  return recorded.map(({ command, name = command[0] ?? '', hasTerminal = false, env = {} }, at) => ({
    pid: recorded.length - at,
    parent: recorded.length - at - 1,
    name,
    hasTerminal,
    command,
    variable: (key: string) => env[key],
    listens: () => false,
  }));
}

const CLI = { command: ['node', '/usr/bin/switchboard', 'chat', 'send'] };
const SHELL = { command: ['-bash'], hasTerminal: true };
const INIT = { command: ['/sbin/init'], name: 'systemd' };

describe('whether the user has started a command', () => {
  const trees: [title: string, processes: ProcessFacts[], expected: boolean][] = [
    ['in a terminal', tree({ ...CLI, hasTerminal: true }, SHELL, { command: ['sshd'] }, INIT), true],
    ['by a script without a terminal', tree(CLI, { command: ['python3', 'job.py'] }, { command: ['sh'] }, INIT), true],
    ['in a shell of Claude Code', tree(CLI, { command: ['zsh', '-c', 'x'] }, { command: ['claude'] }, SHELL), false],
    [
      'in the terminal of a background session of Claude Code',
      tree({ ...CLI, hasTerminal: true }, { command: ['claude.exe', '--session-id', 'x'], hasTerminal: true }, INIT),
      false,
    ],
    [
      'by an assistant that is a script',
      tree(CLI, { command: ['node', '/opt/node_modules/@google/gemini-cli/bundle/x.js'] }, SHELL),
      false,
    ],
    [
      'by a program that a sandbox of Codex hides',
      tree(CLI, { command: ['codex-linux-sandbox'], name: 'codex' }),
      false,
    ],
    [
      'by a shell that an unknown program of an assistant has started',
      tree(CLI, { command: ['bash', '-c', 'x'], env: { CLAUDECODE: '1' } }, { command: ['renamed'] }, SHELL),
      false,
    ],
    ['detached from its parents', tree(CLI, INIT), false],
    ['with nothing known of it', [], false],
  ];

  for (const [title, processes, expected] of trees) {
    test(`${expected ? 'the user' : 'not certain'}: ${title}`, () => {
      assert.equal(isStartedByPerson(processes), expected);
    });
  }

  test('a window that was opened for one command is not a shell of the user', () => {
    const shells = ['', 'zsh', '/bin/bash -l', '"fish"'];
    const commands = ['switchboard chat send x', 'sh -c "switchboard chat send x"', 'bash -lc x', 'npm', 'env'];

    assert.deepEqual(shells.filter(isShell), shells);
    assert.deepEqual(commands.filter(isShell), []);
  });
});

describe('whether a window has a status of an agent', () => {
  const root = temporaryRepository(after);
  const clock = manualClock();
  const post = createPostOffice({ clock });
  after(() => post.close());

  test('it has while an agent works in it, also after it was renamed', async () => {
    const [before, renamed] = [standAt(root, 'a1', ['a1', 'a2']), standAt(root, 'renamed', ['renamed', 'a2'])];

    const first = await hasStatus(before, [undefined, root]);
    await post.setStatus(before, 'work');
    const working = [await hasStatus(before, [root]), await hasStatus(renamed, [root])];
    const other = await hasStatus(standAt(root, 'a2', ['renamed', 'a2']), [root]);
    clock.advance(5_000);
    await post.setStatus(renamed, 'offline');
    const ended = await hasStatus(renamed, [root]);

    assert.deepEqual([first, working, other, ended], [false, [true, true], false, false]);
  });
});
