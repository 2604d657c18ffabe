import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../../tests/support/store/open-store.ts';
import { parseQuery } from '../../../domain/search-query/parse.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import { indexPairs } from './index-pairs.ts';
import { createMessageStore } from './messages.ts';

const START = 1_700_000_000_000;

/** Each with how often it is written; the pairs of `has_been` are in all of the first ones. */
const TEXTS = { has_been: 30, was_been: 700, 'has been': 40, 'had been_has': 100, 'so it had been, has it': 300 };

async function storeOf(counts: Record<string, number>) {
  const db = await openDatabase({ location: MEMORY, clock: systemClock });
  const messages = createMessageStore(db, systemClock);
  const texts = Object.entries(counts).flatMap(([text, count]) => Array.from({ length: count }, () => text));
  // Spread over time, in an order that is the same at every run.
  const order = texts.map((text, index) => ({ text, at: START + ((index * 7_919) % texts.length) }));
  const record = (some: typeof order, of: string) =>
    messages.record({
      source: 'irc',
      origin: 'import',
      events: some.map(({ text, at }) => ({
        kind: 'message',
        message: { chat: { id: 'a' }, id: `${of}${at}`, sender: { id: 'ann', name: 'Ann' }, text, at },
      })),
    });
  await record(order, 'm');
  await indexPairs(db);
  // Not in the index of pairs yet.
  await record(order.slice(0, 20), 'late');
  return { db, messages, stored: [...order, ...order.slice(0, 20)].map(({ text }) => text) };
}

for (const [title, counts] of Object.entries({
  'few messages have the pairs': { ...TEXTS, was_been: 20 },
  'many have the pairs, and few have the words': TEXTS,
  'many have the pairs and the words': { ...TEXTS, 'has been': 900 },
  'very many have the pairs': { ...TEXTS, was_been: 2_500 },
})) {
  test(`what was typed is found by pairs and words: ${title}`, async (t) => {
    const { db, messages, stored } = await storeOf(counts);
    t.after(() => db.close());
    const query = parseQuery('has_been', { now: START });
    const find = async (typed: 'only' | 'except', limit: number) => {
      const how = typed === 'only' ? ({ kind: typed } as const) : ({ kind: typed, from: '0' } as const);
      const page = await messages.find({ query, typed: how }, { limit });
      return page.messages.map(({ text }) => text).sort();
    };
    const containing = (pattern: RegExp) => stored.filter((text) => pattern.test(text)).sort();
    const exact = containing(/\bhas_been\b/);

    assert.deepEqual(await find('only', 5_000), exact);
    assert.equal((await find('only', 10)).length, 10);
    assert.deepEqual(await find('except', 5_000), containing(/\bhas been\b/));
  });
}

test('what matches exactly is left out by its ids, if it was found before', async (t) => {
  const { db, messages } = await storeOf({ has_been: 5, 'has been': 5 });
  t.after(() => db.close());
  const query = parseQuery('has_been', { now: START });
  const exact = await messages.find({ query, typed: { kind: 'only' } }, { limit: 50 });
  const known = exact.messages.map(({ id }) => id);

  const others = await messages.find({ query, typed: { kind: 'except', from: '0', known } }, { limit: 50 });

  assert.deepEqual(new Set(exact.messages.map(({ text }) => text)), new Set(['has_been']));
  assert.deepEqual(new Set(others.messages.map(({ text }) => text)), new Set(['has been']));
});
