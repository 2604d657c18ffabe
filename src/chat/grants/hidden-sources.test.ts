import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chatStore } from '../../../tests/support/chat/store.ts';
import { localPrincipal } from '../../domain/principal.ts';
import { parseQuery } from '../../domain/search-query/parse.ts';
import { mayReceive } from './event-access.ts';
import { withoutSources } from './hidden-sources.ts';

const { store, sources, addSource, clock } = chatStore();
const HIDDEN = { isEmpty: false, has: (source: string) => ['mail'].includes(source) };

describe('a source that a principal may not read', () => {
  test('is not returned by any query', async () => {
    const { shown, ids, mailbox } = await filled();

    assert.deepEqual(
      (await shown.sources.list()).map(({ id }) => id),
      ['irc'],
    );
    assert.equal(await shown.sources.find('mail'), undefined);
    assert.deepEqual(await shown.chats.list('mail', {}, { limit: 10 }), { chats: [] });
    assert.deepEqual(
      (await shown.chats.resolve(undefined, 'ann')).map(({ source }) => source),
      ['irc'],
    );
    assert.deepEqual(await shown.chats.resolve(['mail'], 'ann'), []);
    assert.equal(await shown.chats.byKey(mailbox), undefined);
    assert.deepEqual(await shown.sourceRepository.withData(), ['irc']);
    assert.deepEqual(await shown.messages.extent('mail'), { count: 0 });
    assert.deepEqual(await shown.messages.timelines('mail'), []);
    assert.equal(await shown.messages.byId(ids.mail), undefined);
    assert.equal(await shown.messages.byExternalId(mailbox, 'm1'), undefined);
    assert.deepEqual(await shown.messages.byExternalIds([mailbox], ['m1']), []);
    assert.deepEqual(await shown.messages.around(ids.mail, 5, 5), []);
    assert.deepEqual(await shown.messages.thread(ids.mail, 5), []);
    assert.deepEqual(await shown.messages.participants(mailbox, 5), []);
    assert.equal(await shown.messages.participantCount(mailbox), 0);
  });

  test('is in no search result; other sources are', async () => {
    const { shown, mailbox } = await filled();
    const find = async (filter: Parameters<typeof shown.messages.find>[0]) =>
      (await shown.messages.find(filter, { limit: 10 })).messages.map(({ source }) => source);

    assert.deepEqual(await find({}), ['irc']);
    assert.deepEqual(await find({ text: { kind: 'words', text: 'hello' } }), ['irc']);
    assert.deepEqual(await find({ sources: ['mail'] }), []);
    assert.deepEqual(await find({ chats: [mailbox] }), []);
    for (const query of [
      '-absent',
      'source:mail',
      'in:ann',
      'from:bob OR source:mail',
      'NOT source:irc',
      'is:unread',
    ]) {
      const found = await find({ query: parseQuery(query, { now: 0 }) });
      assert.ok(!found.includes('mail'), query);
    }
  });

  test('cannot be written to', async () => {
    const { shown } = await filled();

    await assert.rejects(shown.messages.record({ source: 'mail', events: [], origin: 'live' }), { code: 'FORBIDDEN' });
    await assert.rejects(shown.messages.forgetBefore('mail', clock.now()), { code: 'FORBIDDEN' });
  });

  test('causes no notification and no event', () => {
    const facts = { source: 'mail', chat_id: 'ann', chat: 'ann' };

    assert.equal(mayReceive(localPrincipal(), facts, HIDDEN), false);
    assert.equal(mayReceive(localPrincipal(), { ...facts, source: 'irc' }, HIDDEN), true);
  });
});

async function filled() {
  const { messages, chats, sources: sourceRepository } = store();
  const ids: Record<string, string> = {};
  for (const source of ['irc', 'mail']) {
    addSource(source);
    const message = { chat: { id: 'ann' }, id: 'm1', sender: { id: 'bob', name: 'Bob' }, text: 'hello' };
    await messages.record({
      source,
      events: [{ kind: 'message', message: { ...message, at: 1_000 } }],
      origin: 'live',
    });
    const [found] = (await messages.find({ sources: [source] }, { limit: 1 })).messages;
    ids[source] = found?.id ?? '';
  }
  const [mailbox] = await chats.resolve(['mail'], 'ann');
  const shown = withoutSources({ sources, chats, messages, sourceRepository }, HIDDEN);
  return { shown, ids: { mail: ids.mail ?? '' }, mailbox: mailbox?.key ?? 0 };
}
