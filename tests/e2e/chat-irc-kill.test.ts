import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connected, sourcesOf, writeConfig } from '../support/chat/live-home.ts';
import { ircWorld } from '../support/irc/irc-world.ts';
import { eventIn } from '../support/mcp/rpc-message.ts';
import { daemonStatus, removeHome, startShim } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = process.env.SOAK ? 60 : 4;
/** Messages sent before the daemon is killed, during the kill, and after it. */
const EACH = 10;

interface Heard {
  number: number;
  content: string;
}

const folder = temporaryFolder(after);

test('a daemon killed under traffic stores every message once, and a resumed subscription misses none', {
  timeout: 180_000 + KILLS * 30_000,
}, async (context) => {
  const home = join(folder, 'home');
  const irc = await ircWorld();
  context.after(async () => {
    removeHome(home);
    await irc.close();
  });
  writeConfig(home, { sources: { libera: { kind: 'irc', ...irc.settings } } });
  await connected(home, 'libera');
  const said: string[] = [];
  const heard: Heard[] = [];
  /** Messages received by a client that stays connected and never resumes explicitly. */
  const overheard: Heard[] = [];
  const staying = listen(home, overheard);
  await staying.ready;
  const say = async (round: number, when: string) => {
    const texts = Array.from({ length: EACH }, (_, index) => `${when} ${round}.${index}`);
    said.push(...texts);
    for (const text of texts) await irc.peer.say('group', text);
  };

  for (let round = 0; round < KILLS; round += 1) {
    const { pid } = await daemonStatus(home);
    const listening = listen(home, heard);
    await listening.ready;
    await say(round, 'before');
    const during = say(round, 'during');
    // At a different position in the batch in each round.
    await listening.until(() => heard.length >= said.length - EACH + (round % EACH));
    // A shim can resume by itself only after its first notification.
    await staying.until(() => overheard.length > 0);
    process.kill(pid, 'SIGKILL');
    await during;
    await listening.stop();
    await say(round, 'after');
    const resumed = listen(home, heard);
    await resumed.until(() => heard.length >= said.length);
    await resumed.stop();
  }

  await staying.until(() => overheard.length >= said.length);
  await staying.stop();

  for (const all of [heard, overheard]) {
    assert.deepEqual(all.map(({ content }) => content).sort(), said.toSorted());
    assert.deepEqual(
      all.map(({ number }) => number),
      all.map(({ number }) => number).toSorted((a, b) => a - b),
    );
  }
  assert.equal((await sourcesOf(home)).libera?.messages, said.length);
  const { stdout } = await runProgram(['chat', 'messages', 'libera:#team', '--limit', '100', '--json'], { home });
  const { messages } = JSON.parse(stdout) as { messages: { content: string }[] };
  assert.deepEqual(messages.map(({ content }) => content).reverse(), said.slice(-100));
});

/** A client that subscribes after the last received event, and records what it receives. */
function listen(home: string, heard: Heard[]) {
  const shim = startShim({ home }, ['--only', 'chat']);
  const last = heard.at(-1)?.number;
  const ready = (async () => {
    await shim.initialize();
    const uri = `messages://libera/*${last === undefined ? '' : `?after=${last}`}`;
    const { error } = await shim.call('resources/subscribe', { uri });
    assert.equal(error, undefined);
  })();
  return {
    ready,
    async until(isEnough: () => boolean): Promise<void> {
      await ready;
      while (!isEnough()) {
        const { number, content } = eventIn(await shim.messages.notified('notifications/resources/updated'));
        heard.push({ number: Number(number), content: String(content) });
      }
    },
    stop: () => shim.stop(),
  };
}
