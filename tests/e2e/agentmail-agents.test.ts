import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { agentmailPath, createMailWorld, runAgentmail } from '../support/agentmail/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ID = /^Message #([A-Za-z0-9]{8}) sent\n$/;
const NOTHING = { code: 0, stdout: 'No unread messages\n', stderr: '' };

describe('agents that exchange letters with the agentmail command', () => {
  const folder = temporaryFolder(after);
  const { server, project, as, mailbox, states } = createMailWorld(after, folder);
  const a1 = server.first;
  const a2 = server.addWindow('a2');

  test('AGENT-18 the folder and its files are created on demand, with permissions for this user only', async () => {
    rmSync(join(project, '.agentmail'), { recursive: true, force: true });

    const empty = await as(a1, 'receive');
    await as(a1, 'send', 'a2', 'hello <b>&"é 日本\n');

    assert.deepEqual(empty, NOTHING);
    const file = join(project, '.agentmail', 'mailboxes', 'a2.jsonl');
    const line = readFileSync(file, 'utf8');
    assert.match(
      line,
      /^\{"id":"\w{8}","from":"a1","to":"a2","message":"hello \\u003cb\\u003e\\u0026\\"é 日本\\n","read_flag":false,"created_at":"[^"]+"\}\n$/,
    );
    assert.equal(modeOf(file), '600');
    assert.equal(modeOf(join(project, '.agentmail')), '750');
    assert.match((await as(a2, 'receive')).stdout, /\n\nhello <b>&"é 日本\n$/);
  });

  test('AGENT-09 AGENT-11 a status is stored, and work and offline reset the notification timestamp', async () => {
    const file = join(project, '.agentmail', 'recipients.jsonl');
    const told = { recipient: 'a2', status: 'ready', updated_at: now(), notified_at: now() };
    writeFileSync(file, `${JSON.stringify(told)}\n`, { mode: 0o600 });
    const of = (name: string) => states().find(({ recipient }) => recipient === name);

    const ready = await as(a2, 'status', 'ready');
    const stillTold = of('a2')?.notified_at;
    await as(a2, 'status', 'work');
    const atWork = of('a2');
    await as(a1, 'status', 'offline');

    assert.deepEqual(ready, { code: 0, stdout: '', stderr: '' });
    assert.equal(Date.parse(String(stillTold)), Date.parse(told.notified_at));
    assert.deepEqual([atWork?.status, atWork?.notified_at], ['work', '0001-01-01T00:00:00Z']);
    assert.equal(of('a1')?.status, 'offline');
  });

  test('AGENT-21 two agents set their status, list each other, send a question and reply', async () => {
    const steps = [await as(a1, 'status', 'ready'), await as(a2, 'status', 'work')];
    const list = await as(a1, 'recipients');
    const asked = await as(a1, 'send', 'a2', 'question');
    const read = await as(a2, 'receive');
    const answered = await as(a2, 'send', 'a1', 'answer');
    const answer = await as(a1, 'receive');

    assert.deepEqual(
      steps.map(({ code }) => code),
      [0, 0],
    );
    assert.equal(list.stdout, 'a1 [you]\na2\n');
    assert.equal(read.stdout, `From: a1\nID: ${ID.exec(asked.stdout)?.[1]}\n\nquestion`);
    assert.equal(answer.stdout, `From: a2\nID: ${ID.exec(answered.stdout)?.[1]}\n\nanswer`);
  });

  test('AGENT-21 the sender sees the delivery state of a message', async () => {
    const stateOf = async (id: string) => {
      const { messages } = JSON.parse((await as(a1, 'sent', '--json')).stdout);
      return messages.find((each: { message_id: string }) => each.message_id === id)?.state;
    };
    const [, id = ''] = ID.exec((await as(a1, 'send', 'a2', 'how far?')).stdout) ?? [];

    const stored = await stateOf(id);
    await as(a2, 'receive');
    const fetched = await stateOf(id);
    await as(a2, 'send', 'a1', 'that far');
    const answered = await stateOf(id);
    const { stdout } = await as(a1, 'sent', '--limit', '1');

    assert.deepEqual([stored, fetched, answered], ['stored', 'fetched', 'answered']);
    assert.match(stdout, new RegExp(`^#${id}  \\S+Z  answered   a2: how far\\?\n$`));
    await as(a1, 'receive');
  });

  test('history shows received messages without marking any as read', async () => {
    await as(a1, 'send', 'a2', 'still unread');

    const { stdout } = await as(a2, 'history', '--limit', '2');
    const fromNobody = await as(a2, 'history', '--with', 'nobody');
    const received = await as(a2, 'receive');

    assert.match(
      stdout,
      /Read: yes\n\nhow far\?\n\nFrom: a1\nTo: a2\nID: \w{8}\nDate: \S+\nRead: no\n\nstill unread\n$/,
    );
    assert.equal(fromNobody.stdout, 'No messages\n');
    assert.match(received.stdout, /\n\nstill unread$/);
  });

  test('AGENT-24 a program that was started without TMUX in its environment finds its pane', async () => {
    const result = await server.runInside({
      window: 'stripped',
      scratch: join(folder, 'stripped'),
      folder: project,
      command: [process.execPath, agentmailPath, 'send', 'a2', 'from the dark'],
      without: ['TMUX', 'TMUX_PANE'],
    });

    assert.deepEqual([result.code, result.stderr], [0, '']);
    assert.match(result.stdout, ID);
    assert.equal(mailbox('a2').at(-1)?.from, 'stripped');
    await as(a2, 'receive');
    server.tmux('kill-pane', '-t', result.pane);
  });

  test('a renamed window receives mail sent to its old name and to its new one', async () => {
    const pane = server.addWindow('before');
    await as(pane, 'status', 'ready');
    await as(a1, 'send', 'before', 'to the old name');
    server.rename(pane, 'after');
    await as(a1, 'send', 'after', 'to the new name');

    const received = [await as(pane, 'receive'), await as(pane, 'receive'), await as(pane, 'receive')];

    assert.match(received[0]?.stdout ?? '', /\n\nto the old name$/);
    assert.match(received[1]?.stdout ?? '', /\n\nto the new name$/);
    assert.deepEqual(received[2], NOTHING);
    server.tmux('kill-pane', '-t', pane);
  });

  test('mail for a window is not delivered to another window that had its name before', async () => {
    const first = server.addWindow('worker');
    await as(first, 'status', 'ready');
    server.rename(first, 'veteran');
    const second = server.addWindow('worker');
    await as(a1, 'send', 'worker', 'for the new one');

    const wrong = await as(first, 'receive');
    const right = await as(second, 'receive');

    assert.deepEqual(wrong, NOTHING);
    assert.match(right.stdout, /\n\nfor the new one$/);
    server.tmux('kill-pane', '-t', first);
    server.tmux('kill-pane', '-t', second);
  });
});

test('agents in different worktrees and subfolders share one set of mailboxes', async (t) => {
  const folder = temporaryFolder(t.after.bind(t));
  const { server, project } = createMailWorld(t.after.bind(t), folder);
  rmSync(join(project, '.git'), { recursive: true });
  const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args], { stdio: 'ignore' });
  git('init', '-q');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.test', 'commit', '-q', '--allow-empty', '-m', 'first');
  const linked = join(folder, 'linked');
  git('worktree', 'add', '-q', linked);
  const below = join(linked, 'src', 'deep');
  mkdirSync(below, { recursive: true });
  const a2 = server.addWindow('a2', { folder: linked });

  const sent = await runAgentmail(['send', 'a2', 'across'], { cwd: project, env: server.env(server.first) });
  const received = await runAgentmail(['receive'], { cwd: below, env: server.env(a2) });
  await runAgentmail(['send', 'a1', 'and back'], { cwd: below, env: server.env(a2) });
  const back = await runAgentmail(['receive'], { cwd: project, env: server.env(server.first) });

  assert.match(sent.stdout, ID);
  assert.match(received.stdout, /^From: a1\n.*\n\nacross$/);
  assert.match(back.stdout, /^From: a2\n.*\n\nand back$/);
  assert.equal(existsSync(join(linked, '.agentmail')), false);
});

function now(): string {
  return new Date().toISOString();
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
