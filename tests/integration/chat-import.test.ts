import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createImportRunner, type ImportRunner } from '../../src/chat/import/runner.ts';
import type { ImportReport, ImportRequest } from '../../src/domain/archive.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { fileIn } from '../support/archives/read-archive.ts';
import { telegramChat, telegramFile, telegramMessage } from '../support/archives/telegram-export.ts';
import { silentLog } from '../support/operation-context.ts';
import type { Store } from '../support/store/open-store.ts';
import { MIGRATIONS, openStore } from '../support/store/open-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const WORKER = new URL('../../src/compose/import-worker.ts', import.meta.url);
const KILLS = process.env.SOAK ? 60 : 6;
const PROGRAM = new URL('../support/archives/import-program.ts', import.meta.url).pathname;
const folder = temporaryFolder(after);

describe('importing into a store', () => {
  test('importing the same export again adds nothing; a later export adds only new messages', async () => {
    const { store, run } = await opened();
    const reaction = { type: 'emoji', emoji: '👍', count: 1, recent: [{ from: 'Bo', from_id: 'user8' }] };
    const messages = Array.from({ length: 1_200 }, (_, index) =>
      telegramMessage(index + 1, index % 100 === 0 ? { reactions: [reaction] } : {}),
    );
    const path = fileIn(folder, 'again/result.json', telegramFile(telegramChat(messages)));
    const later = fileIn(
      folder,
      'later/result.json',
      telegramFile(telegramChat([...messages, telegramMessage(5_000), { id: 5_001, type: 'unsupported' }])),
    );

    const first = await run({ path });
    const again = await run({ path });
    const more = await run({ path: later });

    assert.deepEqual(counts(first), { added: 1_200, changed: 0, known: 0, chats: 1 });
    assert.deepEqual(counts(again), { added: 0, changed: 0, known: 1_200, chats: 1 });
    assert.deepEqual(counts(more), { added: 1, changed: 0, known: 1_200, chats: 1 });
    assert.deepEqual(more.skipped, [
      {
        reason: 'The program that wrote the export could not export it.',
        count: 1,
        examples: ['result.json:chat 9, message 5001'],
      },
    ]);
    assert.equal((await store.messages.extent('telegram')).count, 1_201);
    const { messages: found } = await store.messages.find({ sources: ['telegram'] }, { limit: 1, offset: 1_200 });
    assert.deepEqual(found[0]?.reactions, [{ sign: '👍', senders: ['Bo'] }]);
  });

  test('changes of stored messages are counted', async () => {
    const { run } = await opened();
    const edited = { text_entities: [{ type: 'plain', text: 'other words' }], edited_unixtime: '1718290000' };
    const before = fileIn(folder, 'before.json', telegramFile(telegramChat([telegramMessage(1), telegramMessage(2)])));
    const after = fileIn(
      folder,
      'after.json',
      telegramFile(telegramChat([telegramMessage(1, edited), telegramMessage(2)])),
    );

    await run({ path: before });

    assert.deepEqual(counts(await run({ path: after })), { added: 0, changed: 1, known: 1, chats: 1 });
  });

  test('an import without messages creates no source, and the error names the file', async () => {
    const { runner } = await opened();
    const path = fileIn(folder, 'words.json', 'plain words');
    let begun = 0;

    const running = runner.run(request({ path }), { ...quietly(), begin: async () => void begun++ });

    await assert.rejects(running, { code: 'INVALID_PARAMETER', message: `${path} is not a Telegram export.` });
    assert.equal(begun, 0);
  });

  test('a second import into the same source is refused as busy, one into another source runs concurrently', async () => {
    const { runner } = await opened();
    const path = fileIn(folder, 'twice/result.json', telegramFile(telegramChat([telegramMessage(1)])));
    let second: Promise<unknown> | undefined;

    const first = runner.run(request({ path }), {
      ...quietly(),
      begin: async () => {
        second = runner.run(request({ path }), quietly());
        await assert.rejects(second, { code: 'BUSY' });
        await runner.run(request({ path, source: 'other' }), quietly());
      },
    });

    assert.equal((await first).added, 1);
    assert(second);
  });

  test('stops when its caller disconnects, and keeps what was recorded', async () => {
    const { store, runner, run } = await opened();
    const path = fileIn(folder, 'stop/result.json', telegramFile(telegramChat(many(12_000))));
    const caller = new AbortController();

    const running = runner.run(request({ path }), {
      ...quietly(),
      signal: caller.signal,
      progress: (done, total) => {
        if (done < total) caller.abort(new Error('gone'));
      },
    });

    await assert.rejects(running, /gone/);
    const { count } = await store.messages.extent('telegram');
    assert(count < 12_000, String(count));
    const rest = await run({ path });
    assert.equal(rest.added + rest.known, 12_000);
    assert.equal((await store.messages.extent('telegram')).count, 12_000);
  });

  test('stops when the program stops', async () => {
    const { runner } = await opened();
    const path = fileIn(folder, 'end/result.json', telegramFile(telegramChat(many(8_000))));

    const running = runner.run(request({ path }), { ...quietly(), begin: () => runner.stop() });

    await assert.rejects(running, { code: 'SERVICE_UNAVAILABLE' });
    await assert.rejects(runner.run(request({ path }), quietly()), { code: 'SERVICE_UNAVAILABLE' });
  });

  test('an import into an in-memory store is refused', async () => {
    const runner = createImportRunner({ home: folder, url: 'sqlite::memory:', migrations: MIGRATIONS }, WORKER);

    await assert.rejects(runner.run(request({ path: '/x' }), quietly()), { code: 'CONFLICT' });
  });

  test(`killed at ${KILLS} random times, an import loses no message and stores none twice`, async () => {
    const total = 1_500 * KILLS;
    const path = fileIn(folder, 'killed/result.json', telegramFile(telegramChat(many(total))));
    const home = join(folder, 'killed-home');

    for (let kill = 0; kill < KILLS; kill++) {
      const importing = start(home, path);
      await Promise.race([once(importing.stdout, 'data'), once(importing, 'exit')]);
      await sleep(Math.random() * 300);
      importing.kill('SIGKILL');
      if (importing.exitCode === null && importing.signalCode === null) await once(importing, 'exit');
    }
    const { report } = await finished(start(home, path));

    assert.equal(report.added + report.known, total);
    const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
    after(() => store.close());
    assert.equal((await store.messages.extent('telegram')).count, total);
    assert.deepEqual(await store.admin.check(), { ok: true, problems: [] });
  });
});

async function opened(): Promise<{
  store: Store;
  runner: ImportRunner;
  run(wanted: Partial<ImportRequest>): Promise<ImportReport>;
}> {
  const home = temporaryFolder(after);
  const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
  const runner = createImportRunner({ home, url: 'sqlite', migrations: MIGRATIONS }, WORKER);
  after(async () => {
    await runner.stop();
    await store.close();
  });
  return { store, runner, run: (wanted) => runner.run(request(wanted), quietly()) };
}

function request(wanted: Partial<ImportRequest>): ImportRequest {
  return { format: 'telegram', path: '', source: 'telegram', timeZone: 'UTC', ...wanted };
}

function quietly() {
  return { signal: new AbortController().signal, progress() {}, begin: async () => {} };
}

function counts({ added, changed, known, chats }: ImportReport) {
  return { added, changed, known, chats };
}

function many(count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => telegramMessage(index + 1));
}

function start(home: string, path: string) {
  return spawn(process.execPath, [PROGRAM, home, 'telegram', path], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function finished(program: ChildProcess): Promise<{ report: ImportReport }> {
  let last: { report: ImportReport } | undefined;
  assert(program.stdout);
  for await (const line of createInterface(program.stdout)) {
    const fact = JSON.parse(line);
    if ('report' in fact) last = fact;
  }
  assert(last);
  return last;
}
