import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, type TestContext, test } from 'node:test';
import { daemonStatus, removeHome, until } from '../support/mcp/shim-program.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
let homes = 0;

function freshHome(context: TestContext): string {
  const home = join(folder, `h${++homes}`);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), 'sources: { hook: { kind: webhook } }\n', { mode: 0o600 });
  context.after(() => removeHome(home));
  return home;
}

/** `chat messages -f` on a chat that has one message already. */
async function startFollowing(context: TestContext, home: string) {
  await post(home, [0]);
  const program = startProgram(['chat', 'messages', 'hook:Burst', '-f', '--json'], { home });
  context.after(() => program.kill('SIGKILL'));
  const seen: string[] = [];
  createInterface({ input: program.stdout }).on('line', (line) => {
    // Each line lists its newest message first.
    seen.push(
      ...JSON.parse(line)
        .messages.map(({ content }: { content: string }) => content)
        .reverse(),
    );
  });
  await until('the existing message is shown', () => seen.length === 1);
  return { program, seen };
}

/** Posts messages with these numbers; those already stored are not stored again. */
function post(home: string, numbers: readonly number[]) {
  const lines = numbers.map((number) =>
    JSON.stringify({ chat: 'Burst', sender: 'Bob', text: textOf(number), id: String(number) }),
  );
  return runProgram(['chat', 'post', '--source', 'hook'], { home, stdin: `${lines.join('\n')}\n` });
}

function textOf(number: number): string {
  return `message ${number}`;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function socketsOf(pid: number | undefined): string[] {
  const files = `/proc/${pid}/fd`;
  const links = readdirSync(files).map((file) => {
    try {
      return readlinkSync(join(files, file));
    } catch {
      return '';
    }
  });
  return links.filter((link) => link.startsWith('socket:')).sort();
}

function auditLines(home: string): number {
  const db = new DatabaseSync(join(home, 'switchboard.db'), { readOnly: true });
  const row = db.prepare(`select count(*) as count from audit where operation = 'chat messages'`).get();
  db.close();
  return Number(row?.count);
}

describe('chat messages -f', { timeout: 300_000 }, () => {
  test('shows a burst of a thousand messages over one connection, with one audit line', async (context) => {
    const home = freshHome(context);
    const { program, seen } = await startFollowing(context, home);
    const before = socketsOf(program.pid);

    const posted = await post(home, range(1, 1_001));
    await until('all messages are shown', () => seen.length >= 1_001);
    const sockets = socketsOf(program.pid);
    program.kill('SIGINT');
    const [code] = await once(program, 'close');
    await runProgram(['daemon', 'stop'], { home });

    assert.equal(posted.code, 0);
    assert.deepEqual(seen, range(0, 1_001).map(textOf));
    assert.deepEqual(sockets, before);
    assert.equal(code, 0);
    assert.equal(auditLines(home), 1);
  });

  test('loses and repeats nothing when the daemon is killed and restarted', async (context) => {
    const home = freshHome(context);
    const { program, seen } = await startFollowing(context, home);
    const batches = [range(1, 201), range(201, 401), range(401, 601)];

    for (const batch of batches) {
      const posting = post(home, batch);
      await until('the first message of the batch is shown', () => seen.includes(textOf(batch[0] ?? 0)));
      const { pid } = await daemonStatus(home);
      process.kill(Number(pid), 'SIGKILL');
      // If the command got no response, the batch may not be stored.
      if ((await posting).code !== 0) await post(home, batch);
    }
    await until('all messages are shown', () => seen.length >= 601);
    await post(home, [601]);
    await until('it continues', () => seen.at(-1) === textOf(601));
    program.kill('SIGTERM');
    const [code] = await once(program, 'close');

    assert.deepEqual([...seen].sort(), range(0, 602).map(textOf).sort());
    assert.equal(code, 0);
  });

  test('its stream in the daemon is closed when it is killed', async (context) => {
    const home = freshHome(context);
    const { program } = await startFollowing(context, home);
    const during = await daemonStatus(home);

    program.kill('SIGKILL');
    await once(program, 'close');

    assert.equal(during.clients, 1);
    await until('the daemon has closed its connection', async () => (await daemonStatus(home)).clients === 0);
    await runProgram(['daemon', 'stop'], { home });
    assert.equal(auditLines(home), 1);
  });

  test('continues with another process that takes over the home', async (context) => {
    const home = freshHome(context);
    const { program, seen } = await startFollowing(context, home);

    const serve = startProgram(['serve', '--port', '0'], { home });
    context.after(() => serve.kill('SIGKILL'));
    await until('another process owns the home', async () => (await daemonStatus(home)).kind === 'serve');
    await post(home, [1]);
    await until('the new message is shown', () => seen.length >= 2);
    program.kill('SIGINT');
    await once(program, 'close');

    assert.deepEqual(seen, [0, 1].map(textOf));
    assert.equal((await daemonStatus(home)).kind, 'serve');
  });

  test('exits when its output is closed', async (context) => {
    const home = freshHome(context);
    const { program } = await startFollowing(context, home);
    const closed = once(program, 'close');

    program.stdout.destroy();
    await post(home, [1]);
    const [code] = await closed;

    assert.equal(code, 0);
  });
});
