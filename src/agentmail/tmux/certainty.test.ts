import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Doubt, doubtAbout, explainDoubt } from './certainty.ts';
import type { ProcessFacts } from './process-facts.ts';

const TMUX = '/tmp/tmux-0/default,100,0';
const SERVER = { pid: 100, parent: 1, name: 'tmux: server', command: ['tmux', 'new-session'], session: 100 };
const INIT = { pid: 1, parent: 0, name: 'systemd', command: ['/sbin/init'], session: 1 };
const CLAIM = { panePid: 200, serverPid: 100, tmux: TMUX, pane: '%1' };
/** As a pane hands it to everything in it. */
const IN_PANE = { TMUX, TMUX_PANE: '%1' };

type Recorded = Partial<Omit<ProcessFacts, 'variable' | 'listens'>> & {
  pid: number;
  env?: Readonly<Record<string, string>>;
  listens?: boolean;
};

/** A process tree as it was recorded, nearest first. */
function tree(...recorded: Recorded[]): ProcessFacts[] {
  return recorded.map(({ env = {}, listens = false, ...rest }, at) => {
    const parent = recorded[at + 1]?.pid ?? 0;
    const name = rest.name ?? (rest.command?.[0] ?? '').replace(/.*\//, '');
    const facts = { parent, name, hasTerminal: rest.session === 200, command: [name], session: 200, ...rest };
    return { ...facts, variable: (key: string) => env[key], listens: () => listens };
  });
}

function kindOf(doubt: Doubt | undefined): string {
  return doubt === undefined ? 'certain' : 'program' in doubt ? `${doubt.kind} ${doubt.program}` : doubt.kind;
}

const PANE = { pid: 200, command: ['-bash'], env: IN_PANE };
const CLAUDE = { pid: 210, command: ['claude'], env: IN_PANE, listens: true };
const CODEX = { pid: 211, command: ['/opt/codex/bin/codex'], env: IN_PANE };
const APP_SERVER = {
  pid: 220,
  session: 220,
  command: ['/home/u/.codex/packages/app-server-daemon/bin/codex', 'app-server', '--listen', 'unix://'],
  env: IN_PANE,
  listens: true,
};
const MCP = { pid: 300, command: ['node', '/usr/bin/agentmail', 'mcp'], env: IN_PANE };

describe('whether a process certainly belongs to a pane', () => {
  const trees: [title: string, processes: ProcessFacts[], expected: string, mark?: string][] = [
    ['Claude Code starts a server in its window', tree(MCP, CLAUDE, PANE, SERVER, INIT), 'certain', 'claude'],
    [
      'a shell of Claude Code has a session of its own',
      tree(MCP, { pid: 290, session: 290, command: ['/bin/zsh', '-c', 'x'] }, CLAUDE, PANE, SERVER, INIT),
      'certain',
      'claude',
    ],
    [
      'a second Claude Code without a terminal, started by the first',
      tree(
        MCP,
        { pid: 230, session: 229, command: ['claude', '-p', 'x'], listens: true },
        { pid: 229, session: 229, command: ['bash', '-c', 'claude -p x'] },
        CLAUDE,
        PANE,
        SERVER,
      ),
      'certain',
    ],
    ['Codex without its server', tree(MCP, CODEX, PANE, SERVER, INIT), 'certain', 'codex'],
    ['a program that kept the terminal when its parent ended', tree({ ...MCP }, INIT), 'certain'],
    [
      'Codex’s server, still a child of the window that started it',
      tree({ ...MCP, session: 220 }, APP_SERVER, CODEX, PANE, SERVER, INIT),
      'shared-server codex',
      'codex',
    ],
    [
      'Codex’s server after that window was closed',
      tree({ ...MCP, session: 220 }, APP_SERVER, INIT),
      'shared-server codex',
    ],
    [
      'a shell of Codex in its sandbox',
      tree({ ...MCP, session: 1 }, { pid: 1, session: 1, name: 'codex', command: ['codex-linux-sandbox', '--x'] }),
      'outside codex',
      'codex',
    ],
    [
      'the hub of Cline',
      tree(
        { ...MCP, session: 230 },
        { pid: 230, session: 230, command: ['cline', '--cline-hub-daemon', '--port', '1'], listens: true },
        { pid: 212, command: ['cline'] },
        PANE,
        SERVER,
      ),
      'shared-server cline',
    ],
    [
      'opencode serve in a window, to which others attach',
      tree(MCP, { pid: 200, command: ['opencode', 'serve', '--port', '1'], listens: true }, SERVER),
      'shared-server opencode',
    ],
    [
      'a background session of Claude Code',
      tree(
        { ...MCP, session: 240 },
        { pid: 240, session: 240, command: ['claude.exe', '--session-id', 'x'] },
        { pid: 239, session: 239, command: ['claude', 'bg-pty-host', '--bg-pty-host', '/tmp/x'], listens: true },
        { pid: 238, session: 238, command: ['claude.exe', 'daemon', 'run'], listens: true },
        INIT,
      ),
      'shared-server claude',
    ],
    [
      'an unknown server that has left the terminal',
      tree(
        { ...MCP, session: 250 },
        { pid: 250, session: 250, command: ['node', '/opt/newcomer.js'], env: IN_PANE, listens: true },
        PANE,
        SERVER,
      ),
      'shared-server newcomer',
    ],
    [
      'an unknown server whose window was closed',
      tree(
        { ...MCP, session: 250 },
        { pid: 250, session: 250, command: ['node', '/opt/newcomer.js'], env: IN_PANE, listens: true },
        INIT,
      ),
      'detached',
    ],
    [
      'a program in another pane names this one',
      tree({ ...MCP, session: 201 }, { pid: 201, session: 201, command: ['-bash'] }, SERVER, INIT),
      'other-pane',
    ],
    ['a command that tmux itself runs', tree({ ...MCP, session: 305 }, SERVER, INIT), 'other-pane'],
    [
      'an assistant outside tmux names a pane',
      tree({ ...MCP, session: 310 }, { pid: 310, session: 310, command: ['gemini'] }, INIT),
      'outside gemini',
    ],
    [
      'a shell of an assistant detaches itself',
      tree({ ...MCP, session: 300, env: { ...IN_PANE, CLAUDECODE: '1' } }, INIT),
      'outside claude',
      'claude',
    ],
    ['a detached program with nothing but the variables', tree({ ...MCP, session: 300 }, INIT), 'detached'],
    [
      'a test outside tmux names the pane',
      tree(
        { ...MCP, session: 400 },
        { pid: 402, session: 400, command: ['bash', '-c', 'x'], env: IN_PANE },
        { pid: 401, session: 400, command: ['python3', 'test.py'] },
        { pid: 400, session: 400, command: ['-bash'] },
        INIT,
      ),
      'certain',
    ],
    [
      'a test in a pane of another server names the pane',
      tree(
        { ...MCP, session: 500 },
        { pid: 501, session: 500, command: ['node', 'x.test.js'], env: { TMUX: '/tmp/own,90,0', TMUX_PANE: '%1' } },
        { pid: 500, session: 500, command: ['-bash'], env: { TMUX: '/tmp/own,90,0', TMUX_PANE: '%1' } },
        { pid: 90, session: 90, name: 'tmux: server' },
        INIT,
      ),
      'certain',
    ],
    [
      'an agent in a pane of another server names a pane of this one',
      tree(
        { ...MCP, session: 500 },
        { pid: 501, session: 500, command: ['claude'], env: { TMUX: '/tmp/own,90,0', TMUX_PANE: '%1' } },
        { pid: 500, session: 500, command: ['-bash'], env: { TMUX: '/tmp/own,90,0', TMUX_PANE: '%1' } },
        { pid: 90, session: 90, name: 'tmux: server' },
        INIT,
      ),
      'outside claude',
    ],
    [
      'the first process of a container names the pane',
      tree({ ...MCP, session: 600 }, { pid: 1, session: 0, name: 'api', command: ['/api'] }),
      'certain',
    ],
    [
      'a sandbox of Claude Code hides its parents',
      tree(
        { ...MCP, session: 1 },
        { pid: 2, session: 1, command: ['bash', '-c', 'x'], env: IN_PANE },
        { pid: 1, session: 1, command: ['bwrap', '--unshare-pid'], env: IN_PANE },
      ),
      'certain',
      'claude',
    ],
  ];

  for (const [title, processes, expected, mark] of trees) {
    test(`${expected.split(' ')[0] === 'certain' ? 'certain' : 'refused'}: ${title}`, () => {
      assert.equal(kindOf(doubtAbout(processes, { ...CLAIM, mark })), expected);
    });
  }

  test('every refusal names the program and says what to do instead', () => {
    const { cause, hint } = explainDoubt({ kind: 'shared-server', program: 'codex' });

    assert.match(cause, /not certain which agent this is: codex works for several windows/);
    assert.match(hint, /codex --no-daemon.*daemon_auto_start = false/);
  });
});
