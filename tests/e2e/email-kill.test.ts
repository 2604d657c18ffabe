import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/lib/clock.ts';
import { chanceFrom } from '../support/chance.ts';
import { sourcesOf } from '../support/chat/live-home.ts';
import { writeEmailConfig } from '../support/email/email-program.ts';
import { generateMail } from '../support/email/generated-mail.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { mailText } from '../support/email/mail-session.ts';
import { isAlive, processesOf, removeHome, type Shim, startShim, until } from '../support/mcp/shim-program.ts';
import { silentLog } from '../support/operation-context.ts';
import { runProgram } from '../support/program.ts';
import { openStore } from '../support/store/open-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SEED = Number(process.env.PROPERTY_SEED ?? 1);
const KILLS = process.env.SOAK ? 60 : 4;
const EMAILS = process.env.SOAK ? 8_000 : 2_000;
const MAX_WAIT_MS = 300;
const FOLDERS = ['INBOX', 'Archive', 'Projects'];

const server = await startMailServer({ users: ['alice', 'bob'] });
after(() => server.stop());
const folder = temporaryFolder(after);

function newHome(context: TestContext, name: string, user: string): string {
  const home = join(folder, name);
  context.after(() => removeHome(home));
  writeEmailConfig(home, server, { work: { user, settings: { poll_ms: 500 } } }, {});
  return home;
}

describe('a program that is killed', () => {
  test(`at ${KILLS} random times of a first sync has every email once in the end (SEED=${SEED})`, {
    timeout: 240_000 + KILLS * 30_000,
  }, async (context) => {
    const chance = chanceFrom(SEED);
    const home = newHome(context, 'killed', 'alice');
    for (let index = 0; index < EMAILS; index += 1) {
      server.deliver('alice', generateMail(index).bytes, { folder: FOLDERS[index % FOLDERS.length] ?? 'INBOX' });
    }
    let arrived = 0;
    let least = 0;

    for (let round = 0; round < KILLS; round += 1) {
      const shim = startShim({ home });
      await shim.initialize();
      // Some rounds end before anything is stored, most in the middle of it.
      const wanted = Math.min(least + chance(600), EMAILS);
      if (round % 5 !== 4) await until('more is stored', async () => (await messagesOf(shim)) >= wanted);
      await sleep(chance(MAX_WAIT_MS));
      server.deliver('alice', mailText(`arrived ${++arrived}`));
      await killAll(home);
      await shim.ended();
      const stored = await storedIn(home);
      assert.ok(stored >= least, 'what was stored is lost');
      least = stored;
    }
    const { code, stderr } = await runProgram(['email', 'sync'], { home });
    const check = await runProgram(['db', 'check'], { home });

    assert.equal(code, 0, stderr);
    assert.equal(check.code, 0, check.stdout);
    assert.equal((await sourcesOf(home)).work?.messages, EMAILS + arrived);
    await killAll(home);
    await assertPlaces(home, EMAILS + arrived);
  });

  test('after it has told of a new email has it', async (context) => {
    const home = newHome(context, 'told', 'bob');
    await runProgram(['email', 'sync'], { home });
    const shim = startShim({ home });
    await shim.initialize();
    await shim.call('resources/subscribe', { uri: 'messages://work/*' });
    server.deliver('bob', mailText('told'));
    await shim.messages.notified('notifications/resources/updated');

    await killAll(home);
    await shim.ended();

    assert.equal(await storedIn(home), 1);
  });
});

test('two programs on one home: one of them synchronizes, and both see every email once', async (context) => {
  const home = newHome(context, 'two', 'alice');
  const embedded = startShim({ home }, ['--embedded']);
  const attached = startShim({ home });
  await Promise.all([embedded.initialize(), attached.initialize()]);

  const { code } = await runProgram(['email', 'sync'], { home });
  const counts = await Promise.all([embedded, attached].map(messagesOf));

  assert.equal(code, 0);
  const onServer = ['INBOX', ...FOLDERS.slice(1)].reduce((sum, name) => sum + server.folderOf('alice', name).length, 0);
  assert.deepEqual(counts, [onServer, onServer]);
  await Promise.all([embedded.stop(), attached.stop()]);
});

async function messagesOf(shim: Shim): Promise<number> {
  const { result } = await shim.call('tools/call', { name: 'list_sources', arguments: {} });
  const { structuredContent } = result as { structuredContent: { sources: { id: string; messages?: number }[] } };
  return structuredContent.sources.find(({ id }) => id === 'work')?.messages ?? 0;
}

async function killAll(home: string): Promise<void> {
  const pids = processesOf(home);
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  for (const pid of pids) await until(`${pid} has ended`, () => !isAlive(pid));
}

/** How many emails are stored; each at one place at least. */
async function storedIn(home: string): Promise<number> {
  const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
  try {
    assert.deepEqual(await store.admin.check(), { ok: true, problems: [] });
    return (await store.messages.extent('work')).count;
  } finally {
    await store.close();
  }
}

async function assertPlaces(home: string, count: number): Promise<void> {
  const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
  const { mail } = store.email;
  const places = await mail.counts('work');
  const folders = await mail.folders('work');
  const unlocated = await mail.unlocated('work');
  await store.close();

  assert.equal(
    places.reduce((sum, { messages }) => sum + messages, 0),
    count,
  );
  assert.ok(folders.every(({ low }) => low === 1));
  assert.deepEqual(unlocated, []);
}
