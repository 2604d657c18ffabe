import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { manualClock } from '../../../tests/support/manual-clock.ts';
import { silentLog } from '../../../tests/support/operation-context.ts';
import type { Store } from '../../../tests/support/store/open-store.ts';
import { openStore } from '../../../tests/support/store/open-store.ts';
import { coded, ids } from '../../../tests/support/store/samples.ts';
import type { InboundChat } from '../../domain/chat.ts';
import { type Grants, grantsOf } from '../../domain/grants.ts';
import { parseQuery } from '../../domain/search-query/parse.ts';
import type { MessageFilter, PageRequest, StoredChat } from '../ports.ts';
import type { Sources, SourceView } from '../sources.ts';
import { type RestrictedStores, restricted } from './restricted.ts';

const CHATS: readonly [source: string, chat: InboundChat][] = [
  ['ops', { id: '#dev', name: 'Dev' }],
  ['ops', { id: '#ops', name: 'Operations' }],
  ['ops', { id: '7', name: '#dev' }],
  ['telegram', { id: '100', name: 'Family' }],
  ['telegram', { id: '101', name: 'Family Plans' }],
  ['signal', { id: 's1', name: 'Secret' }],
];
const ROUNDS = 6;
/** Each asks for something that is not granted. */
const QUERIES = [
  'odd',
  '-odd',
  'even OR odd OR -even',
  'in:dev',
  'in:secret OR in:operations',
  '-in:secret',
  'from:ada source:signal',
  'NOT (source:ops OR is:unread)',
  '-is:own -"x y"',
];
/** One chat (`#dev` is its id, and the name of another), all of Telegram, nothing of Signal. */
const GRANTS = grantsOf(['ops:#dev', 'telegram:*']);

describe('chat restricted by grants', () => {
  let store: Store;
  let everything: RestrictedStores;
  let seen: RestrictedStores;
  before(async () => {
    const clock = manualClock();
    store = await openStore({ url: 'sqlite::memory:', home: '/nowhere', clock, log: silentLog });
    await fill(store, clock.now());
    everything = { ...store, sources: sourcesOf(store), sourceRepository: store.sources };
    seen = restricted(everything, GRANTS);
  });
  after(() => store.close());

  test('is unrestricted without a list of grants', () => {
    assert.equal(restricted(everything, grantsOf(undefined)), everything);
  });

  test('lists only sources with granted chats, and counts only granted messages', async () => {
    const [listed, views] = await Promise.all([seen.sources.list(), seen.sources.describe()]);

    assert.deepEqual(
      views.map(({ id, messages }) => [id, messages]),
      [
        ['ops', ROUNDS],
        ['telegram', 2 * ROUNDS],
      ],
    );
    assert.deepEqual(ids(listed), ids(views));
    assert.equal((await seen.sources.find('ops'))?.messages, ROUNDS);
    assert.equal(await seen.sources.find('signal'), undefined);
  });

  test('lists only granted chats, page by page', async () => {
    const list = async (source: string, limit: number) => {
      const found: string[] = [];
      for (let next: string | undefined = ''; next !== undefined; ) {
        const page = await seen.chats.list(source, {}, { limit, ...(next === '' ? {} : { after: next }) });
        found.push(...ids(page.chats));
        next = page.next;
      }
      return found;
    };

    assert.deepEqual(await list('ops', 1), ['#dev']);
    assert.deepEqual(await list('ops', 10), ['#dev']);
    assert.deepEqual(await list('telegram', 1), ['101', '100']);
    assert.deepEqual(await list('signal', 10), []);
    assert.deepEqual(ids((await seen.chats.list('ops', { name: 'dev' }, { limit: 10 })).chats), ['#dev']);
  });

  test('resolves a name only to granted chats, even if another chat matches better', async () => {
    const confined = restricted(everything, grantsOf(['telegram:101']));

    assert.deepEqual(ids(await seen.chats.resolve(undefined, 'Operations')), []);
    assert.deepEqual(ids(await seen.chats.resolve(['signal'], 'Secret')), []);
    assert.deepEqual(ids(await seen.chats.resolve(undefined, 'Family')), ['100']);
    assert.deepEqual(ids(await confined.chats.resolve(undefined, 'Family')), ['101']);
    assert.deepEqual(ids(await confined.chats.resolve(['telegram'], '100')), []);
  });

  test('returns exactly the granted messages, for any filter', async () => {
    const keys = await chatKeys(everything);
    const filters: fc.Arbitrary<MessageFilter> = fc.record(
      {
        sources: fc.subarray(['ops', 'telegram', 'signal', 'none']),
        chats: fc.subarray(keys),
        text: fc.constantFrom({ kind: 'words', text: 'odd' } as const, { kind: 'part', text: 've' } as const),
        query: fc.constantFrom(...QUERIES).map((text) => parseQuery(text, { now: 0 })),
      },
      { requiredKeys: [] },
    );
    const grants = fc
      .array(fc.constantFrom('ops:#dev', 'ops:#ops', 'ops:*', 'telegram:100', 'telegram:*', 'signal:s1', 'no:x'))
      .map(grantsOf);
    const pages = fc.record(
      { limit: fc.integer({ min: 1, max: 20 }), offset: fc.nat(8), sort: fc.constant('relevance' as const) },
      { requiredKeys: ['limit', 'offset'] },
    );

    await fc.assert(
      fc.asyncProperty(grants, filters, pages, async (granted, filter, page) => {
        const found = await restricted(everything, granted).messages.find(filter, page);

        assert.deepEqual(sanitize(found), sanitize(await naively(everything, granted, filter, page)));
      }),
      { numRuns: 120 },
    );
  });

  test('reads one page at a time, for any offset', async () => {
    const asked: number[] = [];
    const find: typeof everything.messages.find = (filter, page) => {
      asked.push(page.limit);
      return everything.messages.find(filter, page);
    };
    const counted = restricted({ ...everything, messages: { ...everything.messages, find } }, GRANTS);

    const found = await counted.messages.find({}, { limit: 100, offset: 1_000_000 });

    assert.deepEqual(found, { messages: [], hasMore: false });
    assert.ok(Math.max(...asked) <= 500);
  });

  test('returns the same messages if the store returns smaller pages than requested', async () => {
    const find: typeof everything.messages.find = (filter, page) =>
      everything.messages.find(filter, { ...page, limit: Math.min(page.limit, 2) });
    const short = restricted({ ...everything, messages: { ...everything.messages, find } }, GRANTS);
    const all = await seen.messages.find({}, { limit: 100 });

    const found: string[] = [];
    for (let beforeId: string | undefined = ''; beforeId !== undefined; ) {
      const page = await short.messages.find({}, { limit: 10, ...(beforeId === '' ? {} : { beforeId }) });
      found.push(...ids(page.messages));
      beforeId = page.hasMore ? page.messages.at(-1)?.id : undefined;
    }
    const skipped = await short.messages.find({}, { limit: 3, offset: 7 });

    assert.deepEqual(found, ids(all.messages));
    assert.equal(skipped.messages[0]?.id, all.messages[7]?.id);
  });

  test('returns the messages before and after a message, as without grants', async () => {
    const all = await seen.messages.find({}, { limit: 100 });
    const middle = all.messages[9]?.id ?? '';

    const older = await seen.messages.find({}, { limit: 100, beforeId: middle });
    const newer = await seen.messages.find({}, { limit: 100, afterId: middle });

    assert.deepEqual(ids(older.messages), ids(all.messages.slice(10)));
    assert.deepEqual(ids(newer.messages), ids(all.messages.slice(0, 9)));
  });

  test('returns no message of another chat by its id, nor the messages around it', async () => {
    const { messages } = everything;
    const [hidden] = (await messages.find({ sources: ['signal'] }, { limit: 1 })).messages;
    const [open] = (await messages.find({ sources: ['telegram'] }, { limit: 1 })).messages;
    assert.ok(hidden && open);

    const of = async ({ messages: from }: RestrictedStores, { id, chat, externalId }: typeof hidden) => [
      (await from.byId(id))?.id,
      (await from.byExternalId(chat.key, externalId))?.id,
      (await from.around(id, 2, 2)).length > 0,
      (await from.thread(id, 5)).length > 0,
      (await from.participants(chat.key, 5)).length > 0,
      (await from.participantCount(chat.key)) > 0,
      (await from.extent(chat.source, chat.key)).count > 0,
    ];

    assert.deepEqual(await of(seen, hidden), [undefined, undefined, false, false, false, false, false]);
    assert.deepEqual(await of(seen, open), await of(everything, open));
    assert.equal(await seen.chats.byKey(hidden.chat.key), undefined);
    assert.equal((await seen.chats.byKey(open.chat.key))?.id, open.chat.id);
  });

  test('reports the extent and timelines of the granted chats only', async () => {
    const { count, oldest, newest } = await seen.messages.extent('ops');
    const [dev] = await everything.chats.resolve(['ops'], '#dev');
    const expected = await everything.messages.extent('ops', dev?.key);

    assert.deepEqual({ count, oldest, newest }, { ...expected, count: ROUNDS });
    assert.deepEqual(await seen.messages.extent('signal'), { count: 0 });
    assert.deepEqual(
      (await seen.messages.timelines('ops')).map(({ id }) => id),
      ['dev'],
    );
    assert.deepEqual((await seen.messages.timelines('signal')).length, 0);
    assert.equal((await seen.messages.timelines('telegram')).length, 1);
  });

  test('accepts writes only to granted chats', async () => {
    const event = (id: string) =>
      ({
        kind: 'message',
        message: { chat: { id }, id: 'new', sender: { id: 'x', name: 'x' }, text: 'known', at: 1 },
      }) as const;
    const batch = (source: string, ...chats: string[]) =>
      seen.messages.record({ source, origin: 'import', events: chats.map(event) });

    await assert.rejects(batch('ops', '#dev', '#ops'), coded('FORBIDDEN'));
    await assert.rejects(batch('signal', 's1'), coded('FORBIDDEN'));
    await assert.rejects(
      seen.messages.record({ source: 'ops', origin: 'live', events: [{ kind: 'chat', chat: { id: '#ops' } }] }),
      coded('FORBIDDEN'),
    );
    await assert.rejects(
      seen.messages.record({
        source: 'ops',
        origin: 'live',
        events: [{ kind: 'delete', chat: '#ops', message: 'x', at: 1 }],
      }),
      coded('FORBIDDEN'),
    );
    assert.equal((await batch('ops', '#dev')).added, 1);
    await seen.messages.forgetBefore('telegram', 1);
    assert.equal(
      (await everything.messages.find({ text: { kind: 'words', text: 'known' } }, { limit: 9 })).messages.length,
      1,
    );
  });

  test('refuses operations on a source that is only partly granted', async () => {
    const { sourceRepository, messages } = seen;
    const row = (id: string) => ({ id, kind: 'webhook', name: id, settings: {}, createdAt: 1 });

    await assert.rejects(messages.forgetBefore('ops', Number.MAX_SAFE_INTEGER), coded('FORBIDDEN'));
    await assert.rejects(sourceRepository.remove('ops'), coded('FORBIDDEN'));
    await assert.rejects(sourceRepository.recall('ops', 'x'), coded('FORBIDDEN'));
    await assert.rejects(sourceRepository.remember('ops', 'x', 'y'), coded('FORBIDDEN'));
    await assert.rejects(sourceRepository.add(row('ops')), coded('FORBIDDEN'));
    await sourceRepository.remember('telegram', 'x', 'y');
    await sourceRepository.add(row('telegram'));

    assert.equal(await sourceRepository.recall('telegram', 'x'), 'y');
    assert.deepEqual(await sourceRepository.withData(), ['telegram']);
    assert.deepEqual(ids(await sourceRepository.list()), ['telegram']);
    assert.ok((await sourceRepository.remove('telegram')) > 0);
  });
});

async function fill({ messages }: Store, now: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, [source, chat]] of CHATS.entries()) {
      const at = now + round * 1_000 + index * 10;
      const text = round % 2 === 0 ? 'even' : 'odd';
      const sender = { id: 'ada', name: 'Ada' };
      await messages.record({
        source,
        origin: 'live',
        events: [{ kind: 'message', message: { chat, id: `m${round}`, sender, text, at } }],
      });
    }
  }
  const timelines = [
    ['ops', { id: 'dev', complete: true, chat: '#dev' }],
    ['ops', { id: 'ops', complete: true, chat: '#ops' }],
    ['ops', { id: 'account', complete: true }],
    ['telegram', { id: 'account', complete: true }],
    ['signal', { id: 'account', complete: true }],
  ] as const;
  for (const [source, timeline] of timelines) await messages.record({ source, origin: 'newer', events: [], timeline });
}

async function chatKeys({ chats }: RestrictedStores): Promise<number[]> {
  const found = await Promise.all(CHATS.map(([source, { id }]) => chats.resolve([source], id)));
  return found.flat().map(({ key }) => key);
}

/** The expected result, by filtering all messages. */
async function naively({ messages }: RestrictedStores, grants: Grants, filter: MessageFilter, page: PageRequest) {
  const { limit, offset = 0, ...sorted } = page;
  const found = await messages.find(filter, { limit: 1_000, ...sorted });
  const all = found.messages.filter(({ chat }) => grants.includes(chat));
  return { messages: all.slice(offset, offset + limit), hasMore: all.length > offset + limit };
}

function sanitize({ messages, hasMore }: { messages: readonly { id: string; chat: StoredChat }[]; hasMore: boolean }) {
  return { messages: messages.map(({ id, chat }) => `${chat.id} ${id}`), hasMore };
}

function sourcesOf({ messages }: Store): Sources {
  const view = async (id: string): Promise<SourceView> => ({
    id,
    kind: 'irc',
    name: id,
    isConnected: true,
    canStream: true,
    canSend: true,
    configuredIn: 'file',
    state: 'connected',
    howToConnect: '',
    everSynced: true,
    messages: (await messages.extent(id)).count,
    historyBackTo: 1,
  });
  const known = ['ops', 'signal', 'telegram'];
  return {
    list: () => Promise.all(known.map(view)),
    describe: () => Promise.all(known.map(view)),
    find: async (id) => (known.includes(id) ? view(id) : undefined),
  };
}
