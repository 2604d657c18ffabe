import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { irc } from './importer.ts';
import { locate } from './log-location.ts';

describe('the chat of an IRC log', () => {
  for (const [path, id, date] of [
    ['#channel.2024-01-01.log', '#channel', '2024-1-1'],
    ['freenode_#linux_20200101.log', 'freenode/#linux', '2020-1-1'],
    ['.znc/users/ada/moddata/log/libera/#chat/2024-06-13.log', 'libera/#chat', '2024-6-13'],
    ['irclogs/freenode/#linux.log', 'freenode/#linux', undefined],
    ['irclogs/2020/freenode/#linux.01-15.log', 'freenode/#linux', '2020-1-15'],
    ['irc.libera.##c++.weechatlog', 'libera/##c++', undefined],
    ['ChannelLogger/libera/#chat/#chat.2024-06-13.log', 'libera/#chat', '2024-6-13'],
    ['ChannelLogger/#chat/#chat.2024-06-13.log', '#chat', '2024-6-13'],
    ['Libera/Channels/#chat/2024-06-13.txt', 'libera/#chat', '2024-6-13'],
    ['Libera/Queries/bob/2024-06-13.txt', 'libera/bob', '2024-6-13'],
    ['irclogs/Channels/#chat.log', '#chat', undefined],
    ['irclogs/libera/bob.log', 'libera/bob', undefined],
    ['irclogs/bob.log', 'bob', undefined],
    ['2024/06/13/%23ubuntu-devel.txt', '#ubuntu-devel', '2024-6-13'],
    ['xchatlogs/FreeNode-#debian-women.log', 'freenode/#debian-women', undefined],
    ['linux.log.13Jun2024.txt', 'linux', '2024-6-13'],
  ] as const) {
    test(`${path} is ${id}`, () => {
      const found = locate(path, '/home/ada');

      assert.equal(found.chat.id, id);
      assert.equal(found.date && `${found.date.year}-${found.date.month}-${found.date.day}`, date);
    });
  }

  test('is the channel that the server names, if the path does not', async () => {
    const lines = {
      Ubuntu: '=== ada [~a@host.test] has joined #chat',
      HexChat: 'Jun 13 12:00:00 *\tNow talking on #chat',
      irssi: '12:00 -!- Topic for #chat: x',
      WeeChat: '2024-06-13 12:00:00\t-->\tada (~a@host.test) has joined #chat',
      mIRC: 'Session Ident: #chat',
      eggdrop: "[12:00] #chat: mode change '+o ada' by bob!b@host.test",
    };

    for (const [program, line] of Object.entries(lines)) {
      const archive = archiveOf({
        'libera/2024-06-13.log': `[11:00] <ada> see #other\n${line}\n[13:00] <ada> hi`,
        'x.md': '',
      });
      const { messages } = await readOpened(irc, archive);

      assert.deepEqual(
        messages.map(({ chat }) => chat.name),
        ['#chat', '#chat'],
        program,
      );
    }
  });

  test('is another one for each network, also for people', async () => {
    const line = '[2024-06-13 12:00] <bob> hi';
    const mirc = `Session Ident: bob\n${line}`;
    const archive = archiveOf({ 'libera/bob.log': line, 'oftc/bob.log': line, 'efnet/1.log': mirc, 'dal/1.log': mirc });

    const { messages } = await readOpened(irc, archive);

    assert.deepEqual(
      messages.map(({ chat }) => [chat.id, chat.name]),
      ['dal/bob', 'efnet/bob', 'libera/bob', 'oftc/bob'].map((id) => [id, 'bob']),
    );
  });

  test('is the same for all files of a chat, even if only one of them names the channel', async () => {
    const files = Object.fromEntries(['11', '12', '13'].map((day) => [`2024-06-${day}.log`, '[12:00] <ada> hi']));
    const joined = '[11:00] *** ada (~a@host.test) has joined #chat\n[12:00] <ada> hi';

    const { messages } = await readOpened(
      irc,
      archiveOf({ ...files, '2024-06-12.log': joined }, { path: '/logs/irc' }),
    );

    assert.deepEqual([...new Set(messages.map(({ chat }) => chat.id))], ['#chat']);
  });

  test('has no network behind its name, as mIRC writes it, if the log shows that', async () => {
    const log = 'Session Start: Thu Jun 13 12:00:00 2024\n[12:00] * Now talking in #chat\n[12:01] <ada> hi';

    const { messages } = await readOpened(irc, archiveOf({ '#chat.Libera.log': log }));
    const dotted = await readOpened(irc, archiveOf({ '#node.js.log': '[2024-06-13 12:00] <ada> hi' }));

    assert.deepEqual([messages[0]?.chat.id, messages[0]?.chat.name], ['libera/#chat', '#chat']);
    assert.equal(dotted.messages[0]?.chat.id, '#node.js');
  });
});
