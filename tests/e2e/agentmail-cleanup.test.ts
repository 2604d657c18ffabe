import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createMailWorld, runAgentmail, runOutsideTmux } from '../support/agentmail/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('agentmail cleanup', () => {
  const folder = temporaryFolder(after);
  const { server } = createMailWorld(after, folder);
  const a1 = server.first;
  server.addWindow('a2');
  const old = '2026-01-01T00:00:00Z';
  const letter = (id: string, isRead: boolean, createdAt: string | undefined) =>
    JSON.stringify({ id, from: 'a1', to: 'a2', message: id, read_flag: isRead, created_at: createdAt });

  test('a dry run counts what cleanup then removes, from any subfolder', async () => {
    const { cwd, mail } = await repositoryWith([
      letter('read-old', true, old),
      letter('read-now', true, new Date().toISOString()),
      letter('unread', false, old),
    ]);
    const call = (...args: string[]) => runAgentmail(['cleanup', ...args], { cwd, env: server.env(a1) });

    const preview = await call('--dry-run');
    const before = readFileSync(join(mail, 'mailboxes', 'a2.jsonl'), 'utf8');
    const done = await call();
    const again = await call();

    const counts = (recipients: string, messages: number, what = 'removed') =>
      `  Recipients ${what}: ${recipients}\n  Messages ${what}: ${messages}\n  Mailboxes ${what}: 0\n`;
    assert.deepEqual(preview, {
      code: 0,
      stdout: `Cleanup preview (dry-run):\n${counts('2 (1 offline, 1 stale)', 1, 'to remove')}`,
      stderr: '',
    });
    assert.equal(before.split('\n').length, 4);
    assert.equal(done.stdout, `Cleanup complete:\n${counts('2 (1 offline, 1 stale)', 1)}`);
    assert.equal(again.stdout, `Cleanup complete:\n${counts('0 (0 offline, 0 stale)', 0)}`);
    const kept = readFileSync(join(mail, 'mailboxes', 'a2.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    assert.deepEqual(
      kept.map((line) => JSON.parse(line).id),
      ['read-now', 'unread'],
    );
  });

  test('agents in another tmux session are not removed as offline', async () => {
    const { cwd, mail } = await repositoryWith([]);
    server.addSession('other', 'gone');

    await runAgentmail(['cleanup'], { cwd, env: server.env(a1) });

    assert.match(readFileSync(join(mail, 'recipients.jsonl'), 'utf8'), /"recipient":"gone"/);
    server.tmux('kill-session', '-t', '=other');
  });

  test('outside tmux no agent is removed as offline', async () => {
    const { cwd } = await repositoryWith([]);

    const { code, stdout, stderr } = await runOutsideTmux(['cleanup', '--stale-hours', '1000000'], { cwd });

    assert.equal(code, 0);
    assert.equal(stderr, 'Warning: not running in tmux session, skipping offline recipient check\n');
    assert.match(stdout, /^ {2}Recipients removed: 0 \(0 offline, 0 stale\)$/m);
  });

  async function repositoryWith(lines: readonly string[]) {
    const root = mkdtempSync(join(folder, 'repository-'));
    const mail = join(root, '.agentmail');
    const cwd = join(root, 'below');
    for (const path of [join(root, '.git'), join(mail, 'mailboxes'), cwd]) mkdirSync(path, { recursive: true });
    writeFileSync(join(mail, 'mailboxes', 'a2.jsonl'), lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
    const entry = (recipient: string, updated_at: string) =>
      `${JSON.stringify({ recipient, status: 'ready', updated_at, notified_at: '0001-01-01T00:00:00Z' })}\n`;
    const now = new Date().toISOString();
    writeFileSync(join(mail, 'recipients.jsonl'), entry('gone', now) + entry('a2', old) + entry('a1', now), {
      mode: 0o600,
    });
    return { cwd, mail };
  }
});
