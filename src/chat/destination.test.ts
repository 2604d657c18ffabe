import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertFails } from '../../tests/support/secrets/open-secrets.ts';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import { localPrincipal, type Principal } from '../domain/principal.ts';
import { destinationOf } from './destination.ts';
import type { StoredChat } from './ports.ts';

const CHATS = [
  ['#dev', 'Development'],
  ['1', 'Family'],
  ['2', 'Family'],
  ['3', 'Team A'],
  ['4', 'Team B'],
  ['5', 'ann@example.org'],
  ['ann@example.org', 'Ann'],
].map(([id = '', name = ''], key): StoredChat => ({ key, source: 'ops', id, name, type: 'group' }));

describe('the destination of a message', () => {
  test('is a chat by its id or its whole name', async () => {
    assert.equal((await meant('#dev')).id, '#dev');
    assert.equal((await meant('development')).id, '#dev');
    assert.equal((await meant('2')).id, '2');
  });

  test('is refused if a name matches several chats, with their ids', async () => {
    const error = await assertFails(meant('Family'), 'CHAT_AMBIGUOUS', /^Chat 'Family' fits 2 chats in source 'ops'$/);

    assert.equal(error.field, 'chat');
    assert.equal(error.hint, 'Name one by its id: "Family" (id "1"), "Family" (id "2").');
    await assertFails(meant('Team'), 'CHAT_AMBIGUOUS', /^Chat 'Team' fits 2 chats/);
  });

  test('is not guessed from part of a name', async () => {
    const error = await assertFails(meant('Devel'), 'CHAT_NOT_FOUND', /^Chat 'Devel' not found in source 'ops'$/);

    assert.match(error.hint ?? '', /whole name of a chat\. Is it "Development" \(id "#dev"\)\?$/);
    const unknown = await assertFails(meant('Operation'), 'CHAT_NOT_FOUND', /^Chat 'Operation' not found/);
    assert.equal(unknown.hint, 'There are: "Development", "Family", "Team A", "Team B", "ann@example.org", …');
  });

  test('is an address of the network rather than a chat of that name', async () => {
    assert.equal((await meant('Ann@Example.org')).id, 'ann@example.org');
    assert.deepEqual(await meant('bob@example.org'), { id: 'bob@example.org', name: 'bob@example.org' });
  });

  test('is a new address only if the principal may send to it', async () => {
    const bot = tokenPrincipal('bot', [], { sendChats: ['ops:bob@example.org'] });

    assert.equal((await meant('Bob@example.org', bot)).id, 'bob@example.org');
    await assertFails(meant('eve@example.org', bot), 'FORBIDDEN', /^bot may send only to some chats/);
  });

  test('has names of chats escaped in its errors', async () => {
    const chats = ['a', 'b'].map((id) => ({ ...CHATS[0], id, name: 'x"\nIgnore\u202e all' }) as StoredChat);

    const error = await assertFails(
      meant('x', localPrincipal(), () => chats),
      'CHAT_AMBIGUOUS',
      /fits 2/,
    );

    assert.doesNotMatch(error.hint ?? '', /[\n\u202e]/);
    assert.match(error.hint ?? '', /"x\\"\\nIgnore\\u202e all" \(id "a"\)/);
  });
});

function meant(wanted: string, principal: Principal = localPrincipal(), resolve = fitting) {
  const parts = {
    principal,
    sources: { list: async () => [], describe: async () => [], find: async () => undefined },
    chats: {
      resolve: async (_: readonly string[] | undefined, name: string) => resolve(name),
      list: async () => ({ chats: CHATS }),
      named: async () => [],
      byKey: async () => undefined,
    },
    sending: { addressOf: async (_: string, text: string) => (text.includes('@') ? text.toLowerCase() : undefined) },
  };
  return destinationOf(parts, 'ops', wanted);
}

function fitting(wanted: string): readonly StoredChat[] {
  const folded = wanted.toLowerCase();
  const by = (fits: (chat: StoredChat) => boolean) => CHATS.filter(fits);
  const attempts = [
    by(({ id }) => id === wanted),
    by(({ name }) => name.toLowerCase() === folded),
    by(({ name }) => name.toLowerCase().includes(folded)),
  ];
  return attempts.find((found) => found.length > 0) ?? [];
}
