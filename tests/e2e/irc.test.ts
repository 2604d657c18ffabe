import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ircWorld } from '../support/irc/irc-world.ts';
import { removeHome, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);

test('CHAT-09 the built program reads an IRC network, and writes to it', { timeout: 300_000 }, async () => {
  const world = await ircWorld();
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  const source = JSON.stringify({ kind: world.kind, ...world.settings });
  writeFileSync(join(home, 'config.yaml'), `sources:\n  net: ${source}\n`, { mode: 0o600 });
  try {
    await world.peer.say('group', 'said before it began');

    await until('the history is fetched', async () => (await contents(home)).length > 0, 60_000);
    const sent = await runProgram(['chat', 'send', '--source', 'net', '--chat', '#team', 'written by it'], { home });
    await world.peer.heard('group', 'written by it');
    await world.peer.say('group', 'an answer');
    await until('the answer is stored', async () => (await contents(home)).includes('an answer'), 60_000);

    assert.equal(sent.code, 0);
    assert.deepEqual(await contents(home), ['an answer', 'written by it', 'said before it began']);
  } finally {
    removeHome(home);
    await world.close();
  }
});

/** The messages of the channel, newest first; empty while the chat is unknown. */
async function contents(home: string): Promise<string[]> {
  const { code, stdout } = await runProgram(['chat', 'messages', 'net:#team', '--json'], { home });
  if (code !== 0) return [];
  const { messages } = JSON.parse(stdout) as { messages: { content: string }[] };
  return messages.map(({ content }) => content);
}
