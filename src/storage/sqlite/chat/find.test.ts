import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { openDatabase } from '../../../../tests/support/store/open-store.ts';
import type { MessageFilter } from '../../../chat/ports.ts';
import type { InboundMessage } from '../../../domain/chat.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import type { Database } from '../database.ts';
import { fold } from './fold.ts';
import { indexSomePairs } from './index-pairs.ts';
import { createMessageStore } from './messages.ts';
import { tokenize } from './tokenize.ts';

const START = Date.UTC(2025, 0, 1);
const HOUR = 3_600_000;
const COUNT = 3_500;
const BATCH = 500;

/** Enough messages and words that every search strategy is used: newest messages first, terms in groups. */
for (const { indexed, steps } of [
  { indexed: 'no', steps: 0 },
  { indexed: 'most', steps: 8 },
  { indexed: 'all', steps: Number.POSITIVE_INFINITY },
]) {
  describe(`a search finds what a full scan would find, with pairs of ${indexed} messages in the index`, () => {
    const messages = makeMessages();
    let db: Database;
    before(async () => {
      db = await openDatabase({ location: MEMORY, clock: systemClock });
      const store = createMessageStore(db, systemClock);
      for (let start = 0; start < COUNT; start += BATCH) {
        const events = messages.slice(start, start + BATCH).map((message) => ({ kind: 'message', message }) as const);
        await store.record({ source: 'x', events, origin: 'import' });
      }
      for (let step = 0; step < steps && (await db.write(indexSomePairs)); step += 1);
    });
    after(() => db.close());

    for (const kind of ['part', 'words'] as const) {
      test(`by ${kind === 'part' ? 'parts' : 'words'}, within any chat, sender and time range`, async () => {
        await fc.assert(
          fc.asyncProperty(
            queryFrom(messages),
            filters,
            fc.integer({ min: 1, max: 400 }),
            async (text, where, limit) => {
              const filter = { ...where, text: { kind, text } };

              const found = await createMessageStore(db, systemClock).find(filter, { limit });

              const expected = messages.filter((message) => fits(message, filter)).reverse();
              assert.deepEqual(
                found.messages.map(({ externalId }) => externalId),
                expected.slice(0, limit).map(({ id }) => id),
              );
              assert.equal(found.hasMore, expected.length > limit);
            },
          ),
          { numRuns: 150 },
        );
      });
    }

    test('by phrases, within any chat, sender and time range', async () => {
      await fc.assert(
        fc.asyncProperty(
          phraseFrom(messages),
          filters,
          fc.integer({ min: 1, max: 400 }),
          async (text, where, limit) => {
            const filter: MessageFilter = { ...where, query: { kind: 'phrase', text } };

            const found = await createMessageStore(db, systemClock).find(filter, { limit });

            const expected = messages.filter((message) => fits(message, where) && hasPhrase(message, text)).reverse();
            assert.deepEqual(
              found.messages.map(({ externalId }) => externalId),
              expected.slice(0, limit).map(({ id }) => id),
            );
          },
        ),
        { numRuns: 100 },
      );
    });

    test('page after page, by id and by offset', async () => {
      await fc.assert(
        fc.asyncProperty(
          queryFrom(messages),
          filters,
          fc.integer({ min: 20, max: 300 }),
          async (text, where, limit) => {
            const store = createMessageStore(db, systemClock);
            const filter: MessageFilter = { ...where, text: { kind: 'part', text } };
            const expected = messages.filter((message) => fits(message, filter)).reverse();
            const first = await store.find(filter, { limit });
            const beforeId = first.messages.at(-1)?.id;

            const byOffset = await store.find(filter, { limit, offset: limit });
            const byId = beforeId === undefined ? byOffset : await store.find(filter, { limit, beforeId });

            assert.deepEqual(byId, byOffset);
            assert.deepEqual(
              byOffset.messages.map(({ externalId }) => externalId),
              expected.slice(limit, 2 * limit).map(({ id }) => id),
            );
          },
        ),
        { numRuns: 40 },
      );
    });
  });
}

describe('among very long messages', () => {
  const COUNT_OF_LONG = 12;
  const external = (numbers: readonly number[]) => numbers.map((number) => `m${number}`);
  let db: Database;
  let store: ReturnType<typeof createMessageStore>;
  before(async () => {
    db = await openDatabase({ location: MEMORY, clock: systemClock });
    store = createMessageStore(db, systemClock);
    const events = Array.from({ length: COUNT_OF_LONG }, (_, index) => {
      const message = { chat: { id: 'c' }, id: `m${index}`, sender: { id: 'ci', name: 'CI' }, at: START + index };
      const text = `${'log '.repeat(250_000)}${index % 2 === 0 ? 'evenly' : ''}`;
      return { kind: 'message', message: { ...message, text, ...(index > 0 ? { replyTo: 'm0' } : {}) } } as const;
    });
    await store.record({ source: 'x', events, origin: 'import' });
  });
  after(() => db.close());

  test('a page may be shorter than requested, with a cursor for the next', async () => {
    const first = await store.find({}, { limit: 500 });
    const second = await store.find({}, { limit: 500, beforeId: first.messages.at(-1)?.id ?? '' });

    assert.deepEqual([first.messages.length, first.hasMore, second.hasMore], [8, true, false]);
    assert.deepEqual(
      [...first.messages, ...second.messages].map(({ externalId }) => externalId),
      external([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
    );
  });

  test('a part of a word is found in each word that contains it', async () => {
    const { messages } = await store.find({ text: { kind: 'part', text: 'venl' } }, { limit: 4 });

    assert.deepEqual(
      messages.map(({ externalId }) => externalId),
      external([10, 8, 6, 4]),
    );
  });

  test('the messages nearest to a message are its neighbours and its thread', async () => {
    const middle = await store.byExternalId(1, 'm6');
    const around = await store.around(middle?.id ?? '', 10, 10);
    const thread = await store.thread(middle?.id ?? '', 100);

    for (const some of [around, thread]) {
      assert.deepEqual(
        some.map(({ externalId }) => externalId),
        external([2, 3, 4, 5, 6, 7, 8, 9]),
      );
    }
  });
});

const filters: fc.Arbitrary<MessageFilter> = fc.record(
  {
    chats: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
    sender: fc.constantFrom('u1', 'ann', 'zoë', 'B'),
    since: fc.nat(COUNT).map((n) => START + n * HOUR),
    before: fc.nat(COUNT).map((n) => START + n * HOUR),
  },
  { requiredKeys: [] },
);

/** A substring of a stored message, or a text that no message contains. */
function queryFrom(messages: readonly InboundMessage[]): fc.Arbitrary<string> {
  const piece = fc
    .tuple(fc.nat(COUNT - 1), fc.nat(60), fc.integer({ min: 1, max: 14 }))
    .map(([index, at, size]) => (messages[index]?.text ?? '').slice(at % 40, (at % 40) + size).toUpperCase());
  return fc
    .oneof({ weight: 9, arbitrary: piece }, fc.constantFrom('zq', 'q', 'ab ba', '世', '?!', 'é', '%', '"'))
    .filter((text) => text.isWellFormed() && fold(text).trim() !== '');
}

/** Words of a stored message one after the other. */
function phraseFrom(messages: readonly InboundMessage[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.nat(COUNT - 1), fc.nat(4), fc.integer({ min: 2, max: 4 }))
    .map(([index, at, size]) =>
      (messages[index]?.text ?? '')
        .split(/\s+/)
        .slice(at, at + size)
        .join(' '),
    )
    .filter((text) => tokenize(fold(text)).tokens.length > 0);
}

function hasPhrase({ text }: InboundMessage, phrase: string): boolean {
  return ` ${tokenize(fold(text)).tokens.join(' ')} `.includes(` ${tokenize(fold(phrase)).tokens.join(' ')} `);
}

function fits(message: InboundMessage, { chats, sender, since, before: end, text }: MessageFilter): boolean {
  const { id, name } = message.sender;
  return (
    (chats === undefined || chats.includes(chatKey(message))) &&
    (sender === undefined || id === sender || fold(name).includes(fold(sender))) &&
    (since === undefined || message.at >= since) &&
    (end === undefined || message.at < end) &&
    (text === undefined || (text.kind === 'part' ? hasPart(message, text.text) : hasWords(message, text.text)))
  );
}

function hasPart({ text }: InboundMessage, part: string): boolean {
  return fold(text).includes(fold(part).trim());
}

function hasWords(message: InboundMessage, words: string): boolean {
  const phrases = fold(words)
    .split(' ')
    .map((word) => tokenize(word).tokens.join(' '))
    .filter(Boolean);
  if (phrases.length === 0) return hasPart(message, words);
  const said = ` ${tokenize(fold(message.text)).tokens.join(' ')} `;
  return phrases.every((phrase) => said.includes(` ${phrase} `));
}

/** The first five messages are in the five chats, so these are their keys. */
function chatKey({ chat }: InboundMessage): number {
  return Number(chat.id.slice(1)) + 1;
}

function makeMessages(): InboundMessage[] {
  const random = fc.sample(fc.array(fc.nat(999), { minLength: 3, maxLength: 8 }), { numRuns: COUNT, seed: 7 });
  return random.map((numbers, index) => ({
    chat: { id: `c${index < 5 ? index : (numbers[0] ?? 0) % 5}` },
    id: `m${index}`,
    sender: [
      { id: 'u1', name: 'Anna' },
      { id: 'u2', name: 'Zoë' },
      { id: 'u3', name: 'Bob' },
    ][index % 3] ?? { id: '', name: '' },
    text: numbers.map((number) => piece(number)).join(''),
    at: START + index * HOUR,
  }));
}

function piece(number: number): string {
  const others = ['世界', '東', 'é', '🍕', '?!', ' ', '\n', 'ß', '한국', 'हिन्दी ', '-', 'Ж', '"', '+'];
  if (number % 4 === 0) return others[(number / 4) % others.length] ?? '';
  const letters = 'abcdefgh';
  const word = [...number.toString(8)].map((digit) => letters[Number(digit)]).join('');
  return number % 3 === 0 ? word : `${word} `;
}
