import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { fileShows, startAgent } from '../support/agentmail/agents.ts';
import { startListening, startMailman } from '../support/agentmail/mailman.ts';
import { agentmailPath, createMailWorld, runAgentmail } from '../support/agentmail/program.ts';
import { until } from '../support/mcp/shim-program.ts';
import { programEnvironment } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOLD = ['up', 'pasted Check your agentmail', 'submitted Check your agentmail'];
const THREAD = '01a072a7-6d07-76a1-828b-300553a73a70';

describe('agentmail wait', { timeout: 300_000 }, () => {
  test('AGENT-23 receives the mail of a ready agent, and nothing is typed into its pane', async (t) => {
    const { as, server, folder, listen, world } = setting(t);
    const agent = await startAgent(server, folder, 'a2');
    const mailman = await startMailman((end) => t.after(end), world);
    const listener = listen(agent.pane);
    await as(agent.pane, 'status', 'ready');

    await as(server.first, 'send', 'a2', 'hello there');
    const code = await listener.ended();

    assert.equal(code, 2);
    assert.match(listener.said(), /^You got new mail\nFrom: a1\nID: \w{8}\n\nhello there$/);
    assert.deepEqual(agent.events(), ['up']);
    assert.doesNotMatch(mailman.said(), /notified a2/);
    const { stdout } = await as(server.first, 'sent', '--json');
    assert.deepEqual(JSON.parse(stdout).messages.map(states), [['fetched', 'rewake']]);
  });

  test('delivers nothing to an agent at work, and delivers pending mail once it is ready', async (t) => {
    const { as, server, folder, listen } = setting(t);
    const agent = await startAgent(server, folder, 'a2');
    await as(agent.pane, 'status', 'work');
    const listener = listen(agent.pane);

    await as(server.first, 'send', 'a2', 'later');
    assert.match((await as(server.first, 'sent')).stdout, /stored/);
    await as(agent.pane, 'status', 'ready');

    assert.equal(await listener.ended(), 2);
  });

  test('exits silently when a newer listener replaces it', async (t) => {
    const { as, server, folder, listen, world } = setting(t);
    const agent = await startAgent(server, folder, 'a2');
    await as(agent.pane, 'status', 'ready');

    const older = listen(agent.pane);
    await known(older.process.pid);
    const newer = listen(agent.pane);

    assert.deepEqual([await older.ended(), older.said()], [0, '']);
    await as(server.first, 'send', 'a2', 'hello');
    assert.equal(await newer.ended(), 2);

    /** Resolves once the listener is registered in the database, which has no other visible effect. */
    async function known(pid: number | undefined): Promise<void> {
      const file = join(world.project, '.agentmail', 'switchboard', 'side.db');
      await fileShows(file, () => {
        const state = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
        const row = state.prepare('select 1 from ways where pid = ?').get(pid ?? 0);
        state.close();
        return row;
      });
    }
  });

  test('exits when its pane is closed, and after its timeout', async (t) => {
    const { server, folder, listen } = setting(t);
    const agent = await startAgent(server, folder, 'a2');

    const timed = listen(agent.pane, '--timeout', '1');
    assert.deepEqual([await timed.ended(), timed.said()], [0, '']);
    const listener = listen(agent.pane);
    server.tmux('kill-pane', '-t', agent.pane);

    assert.deepEqual([await listener.ended(), listener.said()], [0, '']);
  });

  test('exits when the assistant that started it is killed, although the shell of the hook lives on', async (t) => {
    const { as, server, project } = setting(t);
    const pane = server.addWindow('a2');
    const hook = `"${process.execPath}" "${agentmailPath}" wait --hook; echo "ended $?"`;
    const script = `require('node:child_process').spawn('sh', ['-c', ${JSON.stringify(hook)}], { stdio: 'inherit' })`;
    const assistant = spawn(process.execPath, ['-e', script], {
      cwd: project,
      env: programEnvironment({ env: server.env(pane) }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => assistant.kill('SIGKILL'));
    const said = text(assistant.stdout);
    await until('it listens', () => listenersIn(project) > 0);

    assistant.kill('SIGKILL');
    await as(pane, 'status', 'ready');
    await as(server.first, 'send', 'a2', 'hello');
    const ending = await said;

    assert.equal(ending, 'ended 0\n');
    assert.match((await as(pane, 'receive')).stdout, /\n\nhello$/);
  });

  test('without --hook it waits, then prints the message like receive', async (t) => {
    const { as, server } = setting(t);
    const pane = server.addWindow('a2');
    const waiting = as(pane, 'wait', '--timeout', '60');

    await as(server.first, 'send', 'a2', 'hello');
    const { code, stdout, stderr } = await waiting;
    const empty = await as(pane, 'wait', '--timeout', '0');

    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^From: a1\nID: \w{8}\n\nhello$/);
    assert.deepEqual([empty.code, empty.stdout], [0, 'No unread messages\n']);
  });

  test('checks its location only after a change, not in every poll', async (t) => {
    const { as, server, project, folder } = setting(t);
    const pane = server.addWindow('a2');
    await as(pane, 'status', 'ready');
    const { record, env } = withRecordedTmux(folder);
    const listener = startListening(['wait', '--hook'], project, { ...server.env(pane), ...env });
    t.after(() => listener.stop());
    const isWatch = (call: string) => call.endsWith(`list-panes -t ${pane}`);

    const calls = () => (existsSync(record) ? readFileSync(record, 'utf8').split('\n') : []);
    await until('its pane was polled several times', () => calls().filter(isWatch).length > 5);
    const afterStart = calls().slice(calls().findIndex(isWatch) + 1, -1);
    await as(server.first, 'send', 'a2', 'hello');
    const code = await listener.ended();

    assert.ok(afterStart.every(isWatch), afterStart.join('\n'));
    assert.equal(code, 2);
  });

  test('rejects a timeout that exceeds the maximum of a timer', async (t) => {
    const { as, server } = setting(t);

    const plain = await as(server.first, 'wait', '--timeout', '2147484');
    const hook = await as(server.first, 'wait', '--hook', '--timeout', '2147484');

    assert.deepEqual([plain.code, hook.code], [1, 1]);
    assert.equal(
      plain.stderr,
      'error: a timeout has at most 2147483 seconds\nwithout --timeout it waits as long as it takes\n',
    );
  });
});

describe('the Codex queue', { timeout: 300_000 }, () => {
  test('AGENT-23 is used for an agent whose commands came from a Codex shell', async (t) => {
    const { as, server, folder, run, withCodex, world } = setting(t);
    const agent = await startAgent(server, folder, 'a2', { program: 'codex' });
    const { env, record } = withCodex(0);
    const mailman = await startMailman((end) => t.after(end), world, { env });
    await run(agent.pane, { CODEX_THREAD_ID: THREAD }, 'status', 'ready');

    await as(server.first, 'send', 'a2', 'hello');
    await mailman.until(/notified a2 of 1 unread \(codex\)/);

    assert.equal(readFileSync(record, 'utf8'), `queue\n--thread\n${THREAD}\n--message\nCheck your agentmail\n`);
    assert.deepEqual(agent.events(), ['up']);
  });

  test('gets no secret of the environment, and no program of the repository is run in its place', async (t) => {
    const { as, server, folder, run, withCodex, world } = setting(t);
    const agent = await startAgent(server, folder, 'a2', { program: 'codex' });
    const { env, record } = withCodex(0);
    const planted = join(folder, 'planted');
    writeFileSync(join(world.project, 'codex'), `#!/bin/sh\ntouch '${planted}'\n`, { mode: 0o755 });
    const mailman = await startMailman((end) => t.after(end), world, {
      env: {
        PATH: `.${delimiter}${env.PATH}`,
        OPENAI_API_KEY: 'sk-1',
        SWITCHBOARD_PASSPHRASE: 'pass',
        CODEX_HOME: '/c',
      },
    });
    await run(agent.pane, { CODEX_THREAD_ID: THREAD }, 'status', 'ready');

    await as(server.first, 'send', 'a2', 'hello');
    await mailman.until(/notified a2 of 1 unread \(codex\)/);

    assert.equal(existsSync(planted), false);
    const inherited = readFileSync(`${record}-environment`, 'utf8').split('\n').filter(Boolean);
    assert.ok(inherited.includes('CODEX_HOME=/c'));
    const names = inherited.map((line) => line.replace(/=.*/, ''));
    assert.deepEqual(
      names.filter(
        (name) => !/^(?:PATH|HOME|PWD|LANG|LC_\w+|TZ|TMPDIR|TERM|USER|LOGNAME|SHELL|XDG_\w+|CODEX_HOME)$/.test(name),
      ),
      [],
    );
  });

  test('if it fails, the notification is typed', async (t) => {
    const { as, server, folder, run, withCodex, world } = setting(t);
    const agent = await startAgent(server, folder, 'a2', { program: 'codex' });
    const mailman = await startMailman((end) => t.after(end), world, { env: withCodex(1).env });
    await run(agent.pane, { CODEX_THREAD_ID: THREAD }, 'status', 'ready');

    await as(server.first, 'send', 'a2', 'hello');
    await mailman.until(/notified a2 of 1 unread \(typed\)/);

    assert.deepEqual(agent.events(), TOLD);
  });

  test('is not used if another program is in the foreground', async (t) => {
    const { as, server, folder, run, withCodex, world } = setting(t);
    const agent = await startAgent(server, folder, 'a2', { program: 'claude' });
    const { env, record } = withCodex(0);
    const mailman = await startMailman((end) => t.after(end), world, { env });
    await run(agent.pane, { CODEX_THREAD_ID: THREAD }, 'status', 'ready');

    await as(server.first, 'send', 'a2', 'hello');
    await mailman.until(/notified a2 of 1 unread \(typed\)/);

    assert.equal(existsSync(record), false);
  });
});

describe('one mailman for each repository', { timeout: 300_000 }, () => {
  test('in the background it prints its pid and writes a log, and can be queried and stopped', async (t) => {
    const { as, server, project } = setting(t);

    const started = await as(server.first, 'mailman', '--daemon');
    const [, pid] = /^Mailman daemon started in background \(PID: (\d+)\)\n$/.exec(started.stdout) ?? [];
    const file = join(project, '.agentmail', 'mailman.pid');
    const second = await as(server.first, 'mailman', '--daemon');
    const third = await as(server.first, 'mailman');
    const status = await as(server.first, 'mailman', 'status');

    assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], [`${pid}\n`, 0o600]);
    const already = `error: mailman daemon already running (PID: ${pid})\n`;
    assert.deepEqual([second.code, second.stderr, third.code, third.stderr], [2, already, 2, already]);
    assert.deepEqual([status.code, status.stdout], [0, `Mailman daemon running (PID: ${pid})\n`]);
    const stopped = await as(server.first, 'mailman', 'stop');
    assert.deepEqual([stopped.code, stopped.stdout], [0, `Mailman daemon stopped (PID: ${pid})\n`]);
    assert.equal(existsSync(file), false);
    const none = await as(server.first, 'mailman', 'status');
    assert.deepEqual([none.code, none.stdout], [1, 'Mailman daemon is not running\n']);
    const log = readFileSync(join(project, '.agentmail', 'switchboard', 'mailman.log'), 'utf8');
    assert.match(log, /\[mailman\] ended: stopped\n$/);
  });

  test('of several started at the same time, one runs', async (t) => {
    const { as, server } = setting(t);

    const results = await Promise.all([1, 2, 3].map(() => as(server.first, 'mailman', '--daemon')));
    const stopped = await as(server.first, 'mailman', 'stop');
    assert.deepEqual(results.map(({ code }) => code).sort(), [0, 2, 2]);
    assert.match(stopped.stdout, /^Mailman daemon stopped/);
  });

  test('a stale pid file is removed', async (t) => {
    const { project, world } = setting(t);
    mkdirSync(join(project, '.agentmail'));
    const file = join(project, '.agentmail', 'mailman.pid');
    // This process is alive, but is not a mailman.
    writeFileSync(file, `${process.pid}\n`);

    const mailman = await startMailman((end) => t.after(end), world);

    assert.match(mailman.said(), /Warning: Stale PID file found, cleaning up\n/);
    assert.equal(readFileSync(file, 'utf8'), `${mailman.process.pid}\n`);
    assert.equal(await mailman.stop(), 0);
    assert.equal(existsSync(file), false);
  });
});

describe('a loop of two agents that only reply to each other', { timeout: 300_000 }, () => {
  test('is paused, the user is notified, and it continues after its release', async (t) => {
    const { server, run, world } = setting(t);
    const mailman = await startMailman((end) => t.after(end), world);
    const other = server.addWindow('a2');
    const env = { AGENTMAIL_LOOP_LIMIT: '4' };
    const answer = async (pane: string, to: string) => {
      await run(pane, env, 'receive');
      return run(pane, env, 'send', to, 'thank you');
    };

    const codes = [];
    for (let at = 0; at < 4; at += 1) {
      codes.push((await answer(at % 2 === 0 ? server.first : other, at % 2 === 0 ? 'a2' : 'a1')).code);
    }
    const refused = await answer(server.first, 'a2');
    await mailman.until(/a1 and a2 only answer each other and were stopped/);
    const released = await run(server.first, env, 'release', 'a2');
    const afterwards = await run(server.first, env, 'send', 'a2', 'now something else');

    assert.deepEqual(codes, [0, 0, 0, 0]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^error: .*only answer each other; the human was told\n.*agentmail release a2/);
    assert.equal(released.stdout, 'Released: a1 and a2\n');
    assert.equal(afterwards.code, 0);
  });

  test('stays paused whatever status the agents set, until the hook reports a prompt', async (t) => {
    const { server, run } = setting(t);
    const other = server.addWindow('a2');
    const env = { AGENTMAIL_LOOP_LIMIT: '2' };
    const codes: unknown[] = [];
    const answer = async (pane: string, to: string) => {
      await run(pane, env, 'receive');
      codes.push((await run(pane, env, 'send', to, 'thank you')).code);
    };
    await answer(server.first, 'a2');
    await answer(other, 'a1');

    await run(server.first, env, 'status', 'work');
    await answer(server.first, 'a2');
    await run(server.first, env, 'status', 'work');
    await answer(server.first, 'a2');
    await run(server.first, env, 'status', 'work', '--prompt');
    await answer(server.first, 'a2');

    assert.deepEqual(codes, [0, 0, 1, 1, 0]);
  });
});

function listenersIn(project: string): number {
  const file = join(project, '.agentmail', 'switchboard', 'side.db');
  if (!existsSync(file)) return 0;
  const state = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return state.prepare('select 1 from ways where pid is not null').all().length;
  } catch {
    // It is being created.
    return 0;
  } finally {
    state.close();
  }
}

function states({ state, announced_by: by }: Record<string, unknown>): unknown[] {
  return [state, by];
}

/** A `tmux` on the PATH that records its calls. */
function withRecordedTmux(folder: string) {
  const bin = join(folder, 'recording');
  const record = join(folder, 'tmux-calls');
  mkdirSync(bin);
  const script = `#!/bin/sh\necho "$*" | head -n 1 >>'${record}'\nPATH='${process.env.PATH}' exec tmux "$@"\n`;
  writeFileSync(join(bin, 'tmux'), script);
  chmodSync(join(bin, 'tmux'), 0o755);
  return { record, env: { PATH: `${bin}${delimiter}${process.env.PATH}` } };
}

/** A repository with a tmux server; the mailman is started by the test. */
function setting(t: TestContext) {
  const onEnd = (end: () => unknown) => t.after(end);
  const folder = realpathSync(temporaryFolder(onEnd));
  const world = createMailWorld(onEnd, folder);
  const { project, server } = world;

  return {
    ...world,
    world,
    folder,
    /** Like `as`, with more environment variables. */
    run: (pane: string, env: Record<string, string>, ...args: string[]) =>
      runAgentmail(args, { cwd: project, env: { ...server.env(pane), ...env } }),
    listen(pane: string, ...args: string[]) {
      const listener = startListening(['wait', '--hook', ...args], project, server.env(pane));
      onEnd(() => listener.stop());
      return listener;
    },
    /** A program named `codex` on the PATH that records its arguments and exits with this code. */
    withCodex(code: number) {
      const bin = join(folder, 'bin');
      const record = join(folder, 'codex-arguments');
      mkdirSync(bin);
      writeFileSync(
        join(bin, 'codex'),
        `#!/bin/sh\nenv >'${record}-environment'\nprintf '%s\\n' "$@" >'${record}'\nexit ${code}\n`,
      );
      chmodSync(join(bin, 'codex'), 0o755);
      return { record, env: { PATH: `${bin}${delimiter}${process.env.PATH}` } };
    },
  };
}
