import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { slack } from './importer.ts';

const LISTS = (name: string) => ({
  'users.json': JSON.stringify([{ id: `U${name}`, name: `${name}'s user` }]),
  'channels.json': JSON.stringify([{ id: `C${name}`, name: 'general' }]),
});
const day = (user: string, text: string) => JSON.stringify([{ type: 'message', user, text, ts: '1718272800.000100' }]);

function within(folder: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
}

async function read(files: Record<string, string>) {
  const { messages, skipped } = await readOpened(slack, archiveOf(files));
  return { said: messages.map(({ chat, sender, text }) => `${chat.id} ${sender.name}: ${text}`), skipped };
}

describe('a folder with exports of Slack', () => {
  test('has the channels and people of each workspace apart', async () => {
    const { said, skipped } = await read({
      ...within('a', { ...LISTS('A'), 'general/2024-06-13.json': day('UA', 'one') }),
      ...within('b.zip', { ...LISTS('B'), 'general/2024-06-13.json': day('UB', 'two') }),
      'c/random/2024-06-13.json': day('UC', 'three'),
    });

    assert.deepEqual(said, ["CA A's user: one", "CB B's user: two", 'random UC: three']);
    assert.deepEqual(skipped, []);
  });

  test('does not have files that somebody sent as messages, but names them', async () => {
    const { said, skipped } = await read({
      ...LISTS('A'),
      'general/2024-06-13.json': day('UA', 'one'),
      'general/attachments/2024-06-13.json': day('UA', 'forged'),
      '__uploads/F1/2024-06-13.json': day('UA', 'forged'),
    });

    assert.deepEqual(said, ["CA A's user: one"]);
    assert.deepEqual(skipped, [
      { why: 'sent', where: '__uploads/F1/2024-06-13.json' },
      { why: 'sent', where: 'general/attachments/2024-06-13.json' },
    ]);
  });

  test('may be the folder of a channel with the lists in it', async () => {
    const { said } = await read({ ...LISTS('A'), '2024-06-13.json': day('UA', 'one') });

    assert.deepEqual(said, ["archive A's user: one"]);
  });
});
