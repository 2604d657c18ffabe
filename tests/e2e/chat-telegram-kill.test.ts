import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connected, sourcesOf, writeConfig } from '../support/chat/live-home.ts';
import { numbered } from '../support/connectors/contract/stage.ts';
import { daemonStatus, removeHome, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { telegramWorld } from '../support/telegram/telegram-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = process.env.SOAK ? 30 : 3;
/** Enough pages for all kills. */
const OLD = process.env.SOAK ? 60_000 : 3_000;
/** Messages that arrive before each kill, and while the daemon is gone. */
const EACH = 10;

const folder = temporaryFolder(after);

test('CHAT-34 a daemon killed while it fetches history and while messages arrive loses nothing and stores nothing twice', {
  timeout: 180_000 + KILLS * 30_000,
}, async (context) => {
  const home = join(folder, 'home');
  const world = await telegramWorld();
  const { server } = world;
  context.after(async () => {
    removeHome(home);
    await world.close();
  });
  await world.writeOld?.(OLD);
  writeConfig(home, { sources: { tg: { kind: 'telegram', ...world.settings } } });
  const said = { group: [] as string[], direct: [] as string[] };
  const say = async (text: string) => {
    for (const where of ['group', 'direct'] as const) {
      said[where].push(text);
      await world.peer.say(where, text);
    }
  };

  for (let round = 0; round < KILLS; round += 1) {
    // In the middle of the history, at another page in each round: it has to wait there.
    const page = Promise.withResolvers<void>();
    let pages = 0;
    server.onCall((method) => {
      if (method !== 'messages.getHistory' || ++pages !== 4 + round) return;
      server.flood(method, 5);
      page.resolve();
    });
    await connected(home, 'tg');
    const { pid } = await daemonStatus(home);
    await page.promise;
    for (const text of numbered(`before ${round}`, EACH)) await say(text);
    const during = Promise.all(numbered(`during ${round}`, EACH).map(say));
    process.kill(pid, 'SIGKILL');
    await during;
    for (const text of numbered(`after ${round}`, EACH)) await say(text);
  }

  server.onCall(() => {});
  await connected(home, 'tg');
  const total = OLD + said.group.length + said.direct.length;
  await until('all is stored', async () => ((await sourcesOf(home)).tg?.messages ?? 0) >= total, 120_000);
  for (const [where, wanted] of [
    ['group', [...numbered('old', OLD), ...said.group]],
    ['direct', said.direct],
  ] as const) {
    const stored = await textsOf(home, `tg:${world.chats[where]}`);
    assert.equal(stored.length, wanted.length);
    assert.deepEqual(stored.toSorted(), wanted.toSorted());
  }
  assert.equal((await sourcesOf(home)).tg?.messages, total);
});

/** All texts of a chat, by pages. */
async function textsOf(home: string, chat: string): Promise<string[]> {
  const texts: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const more = cursor === undefined ? [] : ['--cursor', cursor];
    const { stdout } = await runProgram(['chat', 'messages', chat, '--limit', '500', '--json', ...more], { home });
    const page = JSON.parse(stdout) as { messages: { content: string }[]; next_cursor?: string };
    texts.push(...page.messages.map(({ content }) => content));
    if (page.next_cursor === undefined) return texts;
    cursor = page.next_cursor;
  }
}
