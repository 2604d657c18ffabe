import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startAgent } from '../support/agentmail/clients.ts';
import { createMailWorld } from '../support/agentmail/program.ts';
import { removeHome } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface LetterLine {
  id: string;
  from: string;
  to: string;
  message: string;
  in_reply_to?: string;
  repository: string;
}

describe('the index of agent mail', { timeout: 300_000 }, () => {
  const folder = temporaryFolder(after);
  const home = join(folder, 'home');
  const world = createMailWorld(after, folder);
  after(() => removeHome(home));
  let a1: Awaited<ReturnType<typeof startAgent>>;
  let a2: Awaited<ReturnType<typeof startAgent>>;
  let pane: string;
  const ids: string[] = [];

  const letters = async (...args: string[]): Promise<LetterLine[]> => {
    const { stdout, stderr } = await runProgram(['agentmail', ...args, '--json'], { home });
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout).letters;
  };

  before(async () => {
    pane = world.server.addWindow('a2');
    a1 = await startAgent(world, { home, pane: world.server.first });
    a2 = await startAgent(world, { home, pane });
    const question = await a1.tool('send', { recipient: 'a2', message: 'Shall I deploy the parser?' });
    await a2.tool('receive');
    const answer = await a2.tool('send', { recipient: 'a1', message: 'Yes, deploy it.' });
    ids.push(String(question.content.message_id), String(answer.content.message_id));
    // Sent by the command, which does not use the daemon.
    await world.as(pane, 'send', 'a1', 'The deployment is done');
  });
  after(async () => {
    await a1.shim.stop();
    await a2.shim.stop();
  });

  test('search finds letters by their text, for any sender and however they were sent', async () => {
    const found = await letters('search', 'deploy');
    const fewer = await letters('search', 'deploy', 'parser');

    assert.deepEqual(
      found.map(({ message }) => message),
      ['The deployment is done', 'Yes, deploy it.', 'Shall I deploy the parser?'],
    );
    assert.deepEqual(
      fewer.map(({ id }) => id),
      [ids[0]],
    );
    assert.equal(found[0]?.repository, join(world.project, '.agentmail'));
  });

  test('thread shows the letters of a thread', async () => {
    const thread = await letters('thread', ids[0] ?? '');

    assert.deepEqual(
      thread.map(({ id, in_reply_to }) => [id, in_reply_to]),
      [
        [ids[0], undefined],
        [ids[1], ids[0]],
      ],
    );
  });

  test('thread reports an unknown letter', async () => {
    const { code, stderr } = await runProgram(['agentmail', 'thread', 'nothere1', '--json'], { home });

    assert.equal(code, 1);
    assert.equal(JSON.parse(stderr).error.code, 'MESSAGE_NOT_FOUND');
  });

  test('log lists the letters of all agents or of one, in pages', async () => {
    const { stdout } = await runProgram(['agentmail', 'log', '--limit', '2', '--json'], { home });
    const first = JSON.parse(stdout);
    const second = await letters('log', '--limit', '2', '--cursor', first.next_cursor);
    const ofNobody = await letters('log', '--agent', 'nobody');

    assert.deepEqual([first.letters.length, second.length, ofNobody.length], [2, 1, 0]);
    assert.equal(second[0]?.id, ids[0]);
  });

  test('letters of worktrees with their own mailboxes are indexed', async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: world.project, stdio: 'pipe' });
    rmSync(join(world.project, '.git'), { recursive: true });
    git('init', '-q');
    git('-c', 'user.name=x', '-c', 'user.email=x@example.test', 'commit', '-q', '--allow-empty', '-m', 'x');
    const linked = join(folder, 'linked');
    git('worktree', 'add', '-q', linked);
    mkdirSync(join(linked, '.agentmail'));
    const there = world.server.addWindow('a3', { folder: linked });

    const { code, stderr } = await world.as(world.server.first, 'send', 'a3', 'elsewhere in a worktree');
    const found = await letters('search', 'worktree');

    assert.equal(code, 0, stderr);
    assert.deepEqual(
      found.map(({ to }) => to),
      ['a3'],
    );
    world.server.tmux('kill-window', '-t', there);
  });

  test('index rebuild reads the mailboxes again and produces the same index', async () => {
    const before = await letters('log');

    const rebuilt = await runProgram(['agentmail', 'index', 'rebuild', '--json'], { home });

    const known = new Set(before.map(({ id }) => id));
    const { repositories, letters: count } = JSON.parse(rebuilt.stdout);
    assert.equal(repositories, 1);
    // The mailman may have added a letter, because a window was closed.
    assert.ok(count >= before.length);
    assert.deepEqual(
      (await letters('log')).map(({ id }) => id).filter((id) => known.has(id)),
      before.map(({ id }) => id),
    );
    assert.equal((await letters('thread', ids[1] ?? '')).length, 2);
  });

  test('the status lists the capability agentmail', async () => {
    const { stdout } = await runProgram(['status', '--json'], { home });

    assert.equal(JSON.parse(stdout).capabilities.includes('agentmail'), true);
  });
});
