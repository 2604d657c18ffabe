import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ircSettings } from './settings.ts';

const accepts = (nick: string) => ircSettings().safeParse({ host: 'irc.example', nick }).success;

describe('a nickname', () => {
  test('is accepted if some server takes it', () => {
    for (const nick of ['alice', 'x{|}^`[]\\-_', '1st', 'éva', 'アリス', 'a/b', '${secret:NICK}']) {
      assert.ok(accepts(nick), nick);
    }
  });

  test('is refused if it would break the protocol, or no server takes it', () => {
    const inside = [' ', '\t', '\r', '\n', '\0', '\x7f', '\u200b', ',', '*', '?', '!', '@', '.', ':'];
    const first = ['#', '&', '~', '%', '+', '$', '-'];

    for (const nick of ['', ...inside.map((each) => `a${each}b`), ...first.map((each) => `${each}a`)]) {
      assert.ok(!accepts(nick), JSON.stringify(nick));
    }
  });
});
