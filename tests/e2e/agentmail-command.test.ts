import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { agentmailPath, createMailWorld, runAgentmail, runOutsideTmux } from '../support/agentmail/program.ts';
import { programEnvironment, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ID = /^Message #([A-Za-z0-9]{8}) sent\n$/;
const NOT_FOUND = 'error: recipient not found\n';

describe('the agentmail command', () => {
  const folder = temporaryFolder(after);
  const { server, project, as, mailbox } = createMailWorld(after, folder);
  const a1 = server.first;
  const a2 = server.addWindow('a2');
  server.addWindow('builder');
  const nowhere = join(folder, 'nowhere');
  mkdirSync(nowhere);
  const failed = (stderr: string, code = 1) => ({ code, stdout: '', stderr });

  test('it is an executable file with a shebang', () => {
    assert.equal(statSync(agentmailPath).mode & 0o111, 0o111);
    assert.match(readFileSync(agentmailPath, 'utf8'), /^#!\/usr\/bin\/env node\n/);
  });

  test('without a command, or with an unknown one, it prints the overview to stderr', async () => {
    const bare = await runAgentmail([], { cwd: project });
    const unknown = await runAgentmail(['recieve'], { cwd: project });

    assert.deepEqual([bare.code, bare.stdout], [1, '']);
    for (const name of ['send', 'receive', 'recipients', 'status', 'mailman', 'onboard', 'mcp', 'cleanup']) {
      assert.match(bare.stderr, new RegExp(`^  ${name} `, 'm'));
    }
    assert(bare.stderr.endsWith("\n\nRun 'agentmail <command> --help' for usage.\n"), bare.stderr);
    assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
    assert(unknown.stderr.startsWith(bare.stderr), unknown.stderr);
    assert(unknown.stderr.endsWith("error: unknown command: 'recieve'\ndid you mean 'agentmail receive'?\n"));
  });

  test('--help prints to stdout and exits with 0', async () => {
    const { stdout: list } = await runAgentmail(['--help'], { cwd: project });
    const names = [...list.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = '']) => name);

    assert(names.length >= 8, list);
    for (const name of names) {
      const { code, stdout, stderr } = await runAgentmail([name, '--help'], { cwd: project });
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, new RegExp(`^DESCRIPTION\n  .+\n\nUSAGE\n  agentmail ${name}`));
    }
  });

  test('--version prints the version', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));

    assert.equal((await runAgentmail(['--version'], { cwd: project })).stdout, `${version}\n`);
  });

  test('an unknown flag is reported before and after the usage text', async () => {
    const { code, stdout, stderr } = await as(a1, 'send', 'a2', '--mesage', 'hi');

    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^flag provided but not defined: -mesage\nDESCRIPTION\n/);
    assert.match(
      stderr,
      /\nerror: error parsing commandline arguments: flag provided but not defined: -mesage\ndid you mean --message\?.*\n$/,
    );
  });

  describe('send', () => {
    test('outside tmux it exits with 2', async () => {
      const result = await runOutsideTmux(['send'], { cwd: project });

      assert.deepEqual(result, failed('error: agentmail must run inside a tmux session\n', 2));
    });

    test('it reports missing arguments', async () => {
      const usage = 'usage: agentmail send <recipient> <message>\n';

      assert.deepEqual(await as(a1, 'send'), failed('error: missing required arguments: recipient message\n'));
      assert.deepEqual(await as(a1, 'send', 'a2'), failed(`error: no message provided\n${usage}`));
      assert.deepEqual(await as(a1, 'send', 'a2', ''), failed(`error: no message provided\n${usage}`));
    });

    test('it reports why it cannot determine its own window', async () => {
      const { TMUX } = server.env(a1);
      const call = (env: Record<string, string>) =>
        runOutsideTmux(['send', 'a2', 'x'], { cwd: project, env: { TMUX, ...env } });
      const lost = 'error: failed to get current window: ';

      assert.deepEqual(await call({}), failed(`${lost}TMUX_PANE environment variable not set\n`));
      assert.deepEqual(await call({ TMUX_PANE: 'one' }), failed(`${lost}TMUX_PANE contains invalid format\n`));
      assert.deepEqual(await call({ TMUX_PANE: '%999' }), failed(`${lost}exit status 1\n`));
    });

    test('AGENT-07 an unknown window, the own window and ignored windows are not found', async () => {
      writeFileSync(join(project, '.agentmailignore'), 'builder\n');

      const nobody = await as(a1, 'send', 'zzzzzz', 'x');
      const slip = await as(a2, 'send', 'a', 'x');
      const self = await as(a1, 'send', 'a1', 'x');
      const ignored = await as(a1, 'send', 'builder', 'x');
      writeFileSync(join(project, '.agentmailignore'), '');

      assert.deepEqual(nobody, failed(`${NOT_FOUND}Known: a2.\n`));
      assert.match(slip.stderr, /^error: recipient not found\nDid you mean 'a1'\?\n$/);
      assert.deepEqual(self, failed(`${NOT_FOUND}That is your own window: nobody can write to himself.\n`));
      assert.equal(ignored.code, 1);
      assert(ignored.stderr.startsWith(NOT_FOUND), ignored.stderr);
    });

    test('it needs a repository, but reports an unknown recipient first', async () => {
      const call = (to: string) => runAgentmail(['send', to, 'x'], { cwd: nowhere, env: server.env(a1) });

      assert.deepEqual(await call('nobody'), failed(NOT_FOUND));
      assert.deepEqual(await call('a2'), failed('error: not in a git repository: not in a git repository\n'));
    });

    test('AGENT-06 flags are accepted in any position, with one dash or two', async () => {
      const lines = [
        ['send', 'a2', 'one'],
        ['send', 'a2', '-m', 'two'],
        ['send', '-message=three', 'a2'],
        ['send', '--recipient', 'a2', 'four'],
        ['send', '-m', 'five', '-r', 'a2'],
        ['send', 'a2', '- six'],
        ['send', '--', 'a2', '--seven'],
        ['send', 'a2', '-8'],
      ];

      for (const line of lines) assert.match((await as(a1, ...line)).stdout, ID);

      const messages = mailbox('a2').map(({ message }) => message);
      assert.deepEqual(messages, ['one', 'two', 'three', 'four', 'five', '- six', '--seven', '-8']);
    });

    test('extra arguments are rejected instead of dropped', async () => {
      const { code, stderr } = await as(a1, 'send', 'a2', 'one', 'two', 'three');

      assert.equal(code, 1);
      assert.equal(stderr, "error: too many arguments: 'two'\na message of several words needs quotes around it\n");
    });

    test('text piped to stdin takes precedence over an argument, without its last newline', async () => {
      const call = (stdin: string, ...args: string[]) =>
        runAgentmail(['send', 'a2', ...args], { cwd: project, env: server.env(a1), stdin });

      const both = await call('from the pipe\n\n', '-m', 'argument');
      const empty = await call('', 'argument');

      assert.match(both.stdout, ID);
      assert.match(empty.stdout, ID);
      const messages = mailbox('a2').map(({ message }) => message);
      assert.deepEqual(messages.slice(-2), ['from the pipe\n', 'argument']);
    });

    test('a file on standard input is the message', async () => {
      const file = join(folder, 'message.txt');
      writeFileSync(file, 'from a file\n');
      const script = '"$@" <"$0"';
      const child = spawn('sh', ['-c', script, file, process.execPath, agentmailPath, 'send', 'a2', 'argument'], {
        cwd: project,
        env: programEnvironment({ env: server.env(a1) }),
      });

      assert.match(await text(child.stdout), ID);
      assert.equal(mailbox('a2').at(-1)?.message, 'from a file');
    });

    test('an open pipe without input does not delay a message given as an argument', { timeout: 50_000 }, async () => {
      const child = spawn(process.execPath, [agentmailPath, 'send', 'a2', 'do not wait'], {
        cwd: project,
        env: programEnvironment({ env: server.env(a1) }),
      });

      const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);

      assert.match(stdout, ID);
      assert.equal(code, 0);
    });

    test('without an argument it waits for a message on the pipe, and prints that it waits', {
      timeout: 50_000,
    }, async () => {
      const child = spawn(process.execPath, [agentmailPath, 'send', 'a2'], {
        cwd: project,
        env: programEnvironment({ env: server.env(a1) }),
      });
      const [said] = await once(child.stderr, 'data');
      child.stdin.end('late');

      const [stdout] = await Promise.all([text(child.stdout), once(child, 'exit')]);

      assert.equal(String(said), 'waiting for the message on standard input\n');
      assert.match(stdout, ID);
    });

    test('a mailbox that cannot be written is an error', async (t) => {
      const boxes = join(project, '.agentmail', 'mailboxes');
      writeFileSync(join(boxes, 'builder.jsonl'), '');
      chmodSync(join(boxes, 'builder.jsonl'), 0o600);
      const blocked = server.addWindow('blocked');
      mkdirSync(join(boxes, 'blocked.jsonl'));
      t.after(() => server.tmux('kill-pane', '-t', blocked));

      const { code, stdout, stderr } = await as(a1, 'send', 'blocked', 'x');

      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^error: failed to write message: .+\n/);
    });

    test('with --json the result and the error are objects', async () => {
      const sent = await as(a1, 'send', '--json', 'a2', 'x');
      const refused = await as(a1, 'send', 'nobody', 'x', '--json');

      assert.match(JSON.parse(sent.stdout).message_id, /^[A-Za-z0-9]{8}$/);
      assert.equal(JSON.parse(sent.stdout).status, 'stored');
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.equal(JSON.parse(refused.stderr).error.code, 'RECIPIENT_NOT_FOUND');
      assert.equal(JSON.parse(refused.stderr).error.message, 'recipient not found');
    });
  });

  describe('receive', () => {
    test('outside tmux it exits with 2; in a hook it is silent', async () => {
      const plain = await runOutsideTmux(['receive'], { cwd: project });
      const hook = await runOutsideTmux(['receive', '--hook'], { cwd: project });

      assert.deepEqual(plain, failed('error: agentmail must run inside a tmux session\n', 2));
      assert.deepEqual(hook, { code: 0, stdout: '', stderr: '' });
    });

    test('it needs its window and a repository; with --hook it fails silently', async () => {
      const { TMUX } = server.env(a1);
      const lost = { cwd: project, env: { TMUX, TMUX_PANE: '%999' } };
      const homeless = { cwd: nowhere, env: server.env(a1) };

      const gone = await runAgentmail(['receive'], lost);
      const outside = await runAgentmail(['receive'], homeless);
      const silent = [
        await runAgentmail(['receive', '--hook'], lost),
        await runAgentmail(['receive', '--hook'], homeless),
      ];

      assert.deepEqual(gone, failed('error: failed to get current window: exit status 1\n'));
      assert.deepEqual(outside, failed('error: not in a git repository: not in a git repository\n'));
      assert.deepEqual(silent, Array(2).fill({ code: 0, stdout: '', stderr: '' }));
    });

    test('AGENT-03 AGENT-04 AGENT-05 each message is printed once, oldest first, until none is left', async (t) => {
      const a3 = server.addWindow('a3');
      t.after(() => server.tmux('kill-pane', '-t', a3));
      const [, first] = ID.exec((await as(a1, 'send', 'a3', 'first\nline two')).stdout) ?? [];
      const [, second] = ID.exec((await as(a2, 'send', 'a3', 'second')).stdout) ?? [];

      const answers = [await as(a3, 'receive'), await as(a3, 'receive'), await as(a3, 'receive')];

      assert.deepEqual(answers, [
        { code: 0, stdout: `From: a1\nID: ${first}\n\nfirst\nline two`, stderr: '' },
        { code: 0, stdout: `From: a2\nID: ${second}\n\nsecond`, stderr: '' },
        { code: 0, stdout: 'No unread messages\n', stderr: '' },
      ]);
      assert.deepEqual(
        mailbox('a3').map(({ read_flag: isRead }) => isRead),
        [true, true],
      );
    });

    test('with --hook a message is printed to stderr with exit code 2, and without one nothing is printed', async (t) => {
      const a4 = server.addWindow('a4');
      t.after(() => server.tmux('kill-pane', '-t', a4));
      const [, id] = ID.exec((await as(a1, 'send', 'a4', 'hello')).stdout) ?? [];

      const mail = await as(a4, 'receive', '--hook');
      const none = await as(a4, 'receive', '--hook');

      assert.deepEqual(mail, { code: 2, stdout: '', stderr: `You got new mail\nFrom: a1\nID: ${id}\n\nhello` });
      assert.deepEqual(none, { code: 0, stdout: '', stderr: '' });
    });

    test('a message stays unread if its output could not be written', async (t) => {
      const a5 = server.addWindow('a5');
      t.after(() => server.tmux('kill-pane', '-t', a5));
      await as(a1, 'send', 'a5', 'do not lose me');
      const env = programEnvironment({ env: server.env(a5) });
      const deaf = spawn(process.execPath, [agentmailPath, 'receive'], { cwd: project, env });
      deaf.stdout.destroy();
      await once(deaf, 'exit');

      const { stdout } = await as(a5, 'receive');

      assert.match(stdout, /\n\ndo not lose me$/);
    });

    test('with --json it prints an object, also when no message is unread', async (t) => {
      const a6 = server.addWindow('a6');
      t.after(() => server.tmux('kill-pane', '-t', a6));
      await as(a1, 'send', 'a6', 'é\n');

      const mail = JSON.parse((await as(a6, 'receive', '--json')).stdout);
      const none = JSON.parse((await as(a6, 'receive', '--json')).stdout);

      assert.deepEqual([mail.from, mail.message], ['a1', 'é\n']);
      assert.equal(none.status, 'No unread messages');
    });
  });

  describe('recipients', () => {
    test('outside tmux it prints its own error text and exits with 2', async () => {
      const result = await runOutsideTmux(['recipients'], { cwd: project });

      assert.deepEqual(result, failed('error: not running inside a tmux session\n', 2));
    });

    test('AGENT-12 AGENT-13 it lists the current windows in order, without ignored ones except the own window', async (t) => {
      writeFileSync(join(project, '.agentmailignore'), 'builder\na1\n');
      t.after(() => writeFileSync(join(project, '.agentmailignore'), ''));

      const before = await as(a1, 'recipients');
      const passing = server.addWindow('passing');
      const during = await as(a2, 'recipients');
      server.tmux('kill-pane', '-t', passing);
      const json = JSON.parse((await as(a2, 'recipients', '--json')).stdout);

      assert.deepEqual(before, { code: 0, stdout: 'a1 [you]\na2\n', stderr: '' });
      assert.equal(during.stdout, 'a2 [you]\npassing\n');
      assert.deepEqual(
        json.recipients.map(({ name, is_current: isCurrent }: Record<string, unknown>) => [name, isCurrent]),
        [['a2', true]],
      );
    });

    test('it works outside a repository, where no window is ignored', async () => {
      const { stdout } = await runAgentmail(['recipients'], { cwd: nowhere, env: server.env(a1) });

      assert.equal(stdout, 'a1 [you]\na2\nbuilder\n');
    });
  });

  describe('status', () => {
    test('outside tmux it is silent, even for an invalid status', async () => {
      const silent = { code: 0, stdout: '', stderr: '' };

      assert.deepEqual(await runOutsideTmux(['status', 'ready'], { cwd: project }), silent);
      assert.deepEqual(await runOutsideTmux(['status', 'bogus'], { cwd: project }), silent);
      assert.deepEqual(await runOutsideTmux(['status'], { cwd: project }), silent);
    });

    test('AGENT-10 it rejects an invalid status', async () => {
      const usage = 'usage: agentmail status <ready|work|offline>\n';

      assert.deepEqual(await as(a1, 'status'), failed(`error: missing required argument: status\n${usage}`));
      assert.deepEqual(await as(a1, 'status', 'Ready'), failed('Invalid status: Ready. Valid: ready, work, offline\n'));
    });

    test('it needs a repository', async () => {
      const result = await runAgentmail(['status', 'ready'], { cwd: nowhere, env: server.env(a1) });

      assert.deepEqual(result, failed('error: not in a git repository: not in a git repository\n'));
    });
  });

  test('onboard prints Markdown and needs no tmux', async () => {
    const { code, stdout, stderr } = await runOutsideTmux(['onboard'], { cwd: nowhere });

    assert.deepEqual([code, stderr], [0, '']);
    for (const part of ['## AgentMail\n', '### Commands\n', '**send**', '**receive**', '**recipients**', '[you]']) {
      assert(stdout.includes(part), part);
    }
    assert(stdout.includes('No unread messages'));
  });

  test('`switchboard agentmail` is the same program', async () => {
    const env = server.env(a1);
    const list = await runProgram(['agentmail', 'recipients'], { cwd: project, env });
    const missing = await runProgram(['agentmail', 'send'], { cwd: project, env });
    const help = await runProgram(['agentmail', '--help'], { cwd: project });

    assert.deepEqual(list, { code: 0, stdout: 'a1 [you]\na2\nbuilder\n', stderr: '' });
    assert.deepEqual(missing, failed('error: missing required arguments: recipient message\n'));
    assert.match(help.stdout, /^Usage: switchboard agentmail /);
  });
});
