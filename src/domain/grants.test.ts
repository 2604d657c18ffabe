import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import { grantsOf, isConfined, isGrant, isWithin, readGrants, sendGrants, withGrantedIds } from './grants.ts';
import { localPrincipal, ownerPrincipal } from './principal.ts';

const chat = (source: string, id: string) => ({ source, id });

describe('grants', () => {
  test('without a list allow everything, with an empty one nothing', () => {
    assert.equal(grantsOf(undefined).includes(chat('any', 'thing')), true);
    assert.equal(grantsOf([]).includes(chat('any', 'thing')), false);
    for (const principal of [localPrincipal(), ownerPrincipal('owner'), tokenPrincipal('t', ['chat:read'])]) {
      assert.equal(readGrants(principal).everything, true);
      assert.equal(sendGrants(principal).everything, true);
    }
  });

  test('name a chat by its exact id, within one source', () => {
    const grants = grantsOf(['ops:#dev', 'ops:name:Release Notes', 'matrix:!r:example.org']);

    const seen = [chat('ops', '#dev'), chat('matrix', '!r:example.org')].map(grants.includes);
    const hidden = [
      chat('other', '#dev'),
      chat('ops', '#Dev'),
      chat('ops', 'Release Notes'),
      chat('ops', 'name:Release Notes'),
      chat('matrix', '!R:example.org'),
      chat('matrix', 'example.org'),
    ].map(grants.includes);

    assert.deepEqual(seen, [true, true]);
    assert.deepEqual(hidden, Array(6).fill(false));
  });

  test('name a chat by its name where exactly one chat of the source bears it', async () => {
    const named = { one: ['#1'], two: ['#1', '#2'], none: [] } as Record<string, string[]>;
    const find = async (name: string, source = '') => (named[name] ?? []).map((id) => chat(source, id));

    const list = await withGrantedIds(['ops:name:one', 'ops:name:two', 'ops:name:none', 'ops:name:', 'ops:#dev'], find);

    assert.deepEqual(list, ['ops:#1', 'ops:#dev']);
    assert.deepEqual(await withGrantedIds(['ops:name:two'], find), [], 'grants nothing, and never everything');
    assert.ok(isConfined(tokenPrincipal('t', [], { chats: [] })));
  });

  test('name a whole source by a star, beside single chats of it', () => {
    const grants = grantsOf(['telegram:Family', 'telegram:*', 'telegram:Work', 'ops:#dev']);

    assert.equal(grants.sources.get('telegram'), '*');
    assert.deepEqual(grants.sources.get('ops'), ['#dev']);
    assert.equal(grants.includes(chat('telegram', 'x')), true);
    assert.equal(grants.includes(chat('ops', '*')), false);
  });

  test('for sending are those for reading unless there is a separate list', () => {
    const reader = tokenPrincipal('t', [], { chats: ['ops:#dev'] });
    const bot = tokenPrincipal('t', [], { chats: ['ops:#dev'], sendChats: ['ops:#alerts'] });

    assert.equal(sendGrants(reader).includes(chat('ops', '#dev')), true);
    assert.deepEqual([chat('ops', '#dev'), chat('ops', '#alerts')].map(sendGrants(bot).includes), [false, true]);
    assert.equal(readGrants(bot).includes(chat('ops', '#alerts')), false);
  });

  test('are passed on only by a principal that has them', () => {
    const giver = grantsOf(['ops:#dev', 'telegram:*']);

    assert.ok(isWithin(undefined, grantsOf(undefined)));
    for (const list of [[], ['ops:#dev'], ['telegram:*'], ['telegram:Family', 'ops:#dev']]) {
      assert.ok(isWithin(list, giver), String(list));
    }
    for (const list of [
      undefined,
      ['ops:name:#dev'],
      ['ops:*'],
      ['ops:#ops'],
      ['signal:x'],
      ['ops:#dev', 'ops:#ops'],
    ]) {
      assert.equal(isWithin(list, giver), false, String(list));
    }
  });

  test('a passed-on grant never includes what its issuer does not have', () => {
    const source = fc.constantFrom('a', 'b');
    const name = fc.constantFrom('x', 'y', '*');
    const list = fc.array(fc.tuple(source, name).map(([from, to]) => `${from}:${to}`));

    fc.assert(
      fc.property(list, list, source, name, (given, own, from, id) => {
        fc.pre(isWithin(given, grantsOf(own)));

        if (grantsOf(given).includes(chat(from, id))) assert.ok(grantsOf(own).includes(chat(from, id)));
      }),
    );
  });

  test('are written as source, colon, chat', () => {
    for (const good of ['ops:#dev', 'ops:*', 'matrix:!r:example.org', 'a: b']) assert.ok(isGrant(good), good);
    for (const bad of ['', 'ops', 'ops:', ':x', '*:x', '*', 'o ps:x']) assert.equal(isGrant(bad), false, bad);
  });
});
