import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Peer } from '../../src/agentmail/agent.ts';
import { agentContextOf } from '../../src/agentmail/identity/agent-context.ts';
import { ancestorsOf } from '../../src/agentmail/tmux/ancestors.ts';
import { socketsAbove } from '../../src/agentmail/tmux/servers.ts';
import { tmuxSync } from '../../src/agentmail/tmux/tmux.ts';
import { type TmuxLocation, tmuxLocationOf } from '../../src/agentmail/tmux/tmux-location.ts';
import { startTmux } from '../support/agentmail/tmux.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the tmux location of a process', () => {
  const folder = realpathSync(temporaryFolder(after));
  const project = join(folder, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  const server = startTmux(after, { folder: project });
  const program = join(import.meta.dirname, '..', 'support', 'agentmail', 'tmux-location-program.ts');

  test('AGENT-24 the pane in TMUX_PANE is found, with every window of its session', async (t) => {
    const second = server.addWindow('a2');
    server.addSession('other', 'elsewhere');
    t.after(() => server.tmux('kill-session', '-t', '=other'));

    const where = inside(await tmuxLocationOf(server.origin(second, project)));

    assert.deepEqual(
      where.peers.map(({ name, isCurrent, pane, folder: at }) => [name, isCurrent, pane, at]),
      [
        ['a1', false, server.first, project],
        ['a2', true, second, project],
      ],
    );
    assert.match(where.me.window ?? '', /^\d+:\d+:@\d+$/);
    server.tmux('kill-pane', '-t', second);
  });

  for (const [who, deeply] of [
    ['the program', false],
    ['everything in a pane', true],
  ] as const) {
    test(`AGENT-24 the pane is found through parent processes if ${who} lacks TMUX`, async (t) => {
      const { code, stdout, stderr, pane } = await server.runInside({
        window: 'stripped',
        scratch: join(folder, `run-${deeply}`),
        command: [process.execPath, program],
        without: ['TMUX', 'TMUX_PANE', 'TMUX_TMPDIR'],
        deeply,
      });
      t.after(() => server.tmux('kill-pane', '-t', pane));

      assert.deepEqual([code, stderr], [0, '']);
      const { kind, me } = JSON.parse(stdout) as { kind: string; me: Peer };
      assert.deepEqual([kind, me?.name, me?.pane], ['inside', 'stripped', pane]);
    });
  }

  test('AGENT-24 the tmux server among the parent processes is queried first, however many other servers exist', async (t) => {
    for (let others = 0; others < 3; others += 1) startTmux(t.after.bind(t), { folder: project });
    const pane = server.addWindow('bare', { command: ['env', '-u', 'TMUX', '-u', 'TMUX_PANE', 'cat'] });
    t.after(() => server.tmux('kill-pane', '-t', pane));
    const pid = Number(server.tmux('display-message', '-p', '-t', pane, '#{pane_pid}'));

    const sockets = socketsAbove(await ancestorsOf(pid));

    assert.ok(sockets.length > 3 && sockets.includes(server.socket));
    // Other systems do not report which server is a parent.
    if (process.platform === 'linux') assert.equal(sockets[0], server.socket);
  });

  test('a process without a pane among its parents is outside tmux', async () => {
    const where = await tmuxLocationOf({ pid: 1, cwd: project });

    assert.deepEqual(where, { kind: 'outside' });
  });

  test('a missing pane, an invalid pane and a stopped server are reported as lost, not as outside tmux', async () => {
    const { tmux: TMUX = '', ...origin } = server.origin(server.first, project);

    const gone = await tmuxLocationOf({ ...origin, tmux: TMUX, tmuxPane: '%999' });
    const none = await tmuxLocationOf({ ...origin, tmux: TMUX, tmuxPane: 'a1' });
    const unset = await tmuxLocationOf({ pid: 1, cwd: project, tmux: TMUX });
    const ended = await tmuxLocationOf({ ...origin, tmux: `${folder}/no-server,1,0` });

    assert.deepEqual(gone, { kind: 'lost', cause: 'exit status 1' });
    assert.deepEqual(none, { kind: 'lost', cause: 'TMUX_PANE contains invalid format' });
    assert.deepEqual(unset, { kind: 'lost', cause: 'TMUX_PANE environment variable not set' });
    assert.deepEqual(ended, { kind: 'lost', cause: 'exit status 1' });
  });

  test('a pane of a restarted tmux server is not attributed to a process started by the earlier server', async () => {
    const { tmux: TMUX = '' } = server.origin(server.first, project);
    const [socket = ''] = TMUX.split(',');
    const place = { pid: 1, cwd: project, tmuxPane: server.first };

    const before = await tmuxLocationOf({ ...place, tmux: `${socket},${2 ** 22 + 1},0` });
    const unnamed = await tmuxLocationOf({ ...place, tmux: socket });

    assert.deepEqual(before, { kind: 'lost', cause: 'the tmux server in TMUX is gone' });
    assert.equal(inside(unnamed).me.name, 'a1');
  });

  test('window names and folders are read unchanged, whatever characters they contain', async () => {
    const odd = join(folder, 'tab\there\nnext %9 日本');
    mkdirSync(odd);
    const names = [
      'team/alpha',
      '..',
      '7',
      '-dash',
      'a:b.c',
      ' two  words ',
      'é日本🙂',
      '#(touch x) #{pid}',
      'x;',
      "'",
    ];
    const panes = names.map((name) => server.addWindow(name, { folder: odd }));

    const where = inside(await tmuxLocationOf(server.origin(server.first, project)));

    const found = where.peers.slice(1).map(({ name, folder: at }) => [name, at]);
    assert.deepEqual(
      found,
      names.map((name) => [name, odd]),
    );
    for (const pane of panes) server.tmux('kill-pane', '-t', pane);
  });

  test('several panes or links of one window are one agent', async () => {
    const second = server.addWindow('a2');
    const beside = server.tmux('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', second);
    server.tmux('link-window', '-d', '-s', second, '-t', '=main:9');

    const fromSecond = inside(await tmuxLocationOf(server.origin(beside, project)));
    const fromFirst = inside(await tmuxLocationOf(server.origin(server.first, project)));

    assert.deepEqual(panesOf(fromSecond), [server.first, beside]);
    assert.deepEqual(panesOf(fromFirst), [server.first, second]);
    server.tmux('kill-window', '-t', second);
  });

  test('a renamed window has the same key', async () => {
    const pane = server.addWindow('before');
    const before = inside(await tmuxLocationOf(server.origin(pane, project)));

    server.rename(pane, 'after');
    const after = inside(await tmuxLocationOf(server.origin(pane, project)));

    assert.deepEqual([before.me.name, after.me.name], ['before', 'after']);
    assert.equal(before.me.window, after.me.window);
    server.tmux('kill-pane', '-t', pane);
  });

  test('names in .agentmailignore are trimmed, and blank lines are skipped', async () => {
    writeFileSync(join(project, '.agentmailignore'), ' logs \r\n\n#build\n');
    const below = join(project, 'src', 'deep');
    mkdirSync(below, { recursive: true });

    const { ignored, me, mailFolders } = await agentContextOf(server.origin(server.first, below));

    assert.deepEqual([...ignored], ['logs', '#build']);
    assert.deepEqual([me.name, mailFolders.main], ['a1', join(project, '.agentmail')]);
  });

  test('if the working directory is in no repository, the folder of the pane is used', async () => {
    const { mailFolders } = await agentContextOf(server.origin(server.first, '/'));

    assert.equal(mailFolders.main, join(project, '.agentmail'));
  });

  test('without tmux, or without a repository, there is no identity', async () => {
    const outside = server.addWindow('nowhere', { folder: '/' });

    await assert.rejects(agentContextOf({ pid: 1, cwd: project }), { code: 'NO_AGENT_IDENTITY' });
    await assert.rejects(agentContextOf(server.origin(outside, '/')), {
      code: 'NO_AGENT_IDENTITY',
      message: 'not in a git repository: not in a git repository',
    });
    server.tmux('kill-pane', '-t', outside);
  });
});

test('a tmux server that hangs is not waited for', { timeout: 60_000 }, async (t) => {
  const folder = temporaryFolder(t.after.bind(t));
  const server = startTmux(t.after.bind(t), { folder });
  const origin = server.origin(server.first, folder);
  const pid = Number(server.tmux('display-message', '-p', '-t', server.first, '#{pid}'));
  process.kill(pid, 'SIGSTOP');
  t.after(() => process.kill(pid, 'SIGCONT'));

  const both = [await tmuxLocationOf(origin), await tmuxLocationOf(origin, tmuxSync)];
  process.kill(pid, 'SIGCONT');

  assert.deepEqual(both, Array(2).fill({ kind: 'lost', cause: 'tmux did not answer' }));
});

function inside(where: TmuxLocation): Extract<TmuxLocation, { kind: 'inside' }> {
  assert.equal(where.kind, 'inside');
  return where as Extract<TmuxLocation, { kind: 'inside' }>;
}

function panesOf({ peers }: Extract<TmuxLocation, { kind: 'inside' }>): (string | undefined)[] {
  return peers.map(({ pane }) => pane);
}
