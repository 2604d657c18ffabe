import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { foldingOf } from './casemapping.ts';
import type { ParsedLine } from './line.ts';
import { createNames } from './names.ts';

describe('how names are written', () => {
  test('is learned from the lines of the server, and compared by its case mapping', () => {
    const names = createNames(foldingOf('rfc1459'));

    names.note(line('PRIVMSG', 'Al[ice]', ['#x', 'hi']));
    names.note(line('NICK', 'bob', ['BoB']));
    names.note(line('366', '', ['me', '#Team', 'End of list']));
    names.listed(['Carol']);

    assert.deepEqual(
      ['al{ice}', 'bob', '#team', 'carol', 'nobody'].map((name) => names.shown(name)),
      ['Al[ice]', 'BoB', '#Team', 'Carol', undefined],
    );
  });

  test('is that of the server, whatever the user typed', () => {
    const names = createNames(foldingOf('ascii'));
    names.typed('ALICE');

    const before = names.shown('alice');
    names.note(line('PRIVMSG', 'Alice', ['me', 'hi']));
    names.typed('aLiCe');

    assert.deepEqual([before, names.shown('alice')], ['ALICE', 'Alice']);
  });

  test('is remembered for a limited number of names', () => {
    const names = createNames(foldingOf('ascii'), 2);

    names.listed(['Alice', 'Bob', 'Carol']);

    assert.deepEqual([names.shown('alice'), names.shown('carol')], [undefined, 'Carol']);
  });
});

function line(command: string, nick: string, params: string[]): ParsedLine {
  return { tags: {}, nick, prefix: nick, fromServer: nick === '', command, params };
}
