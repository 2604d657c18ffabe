import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../src/lib/clock.ts';
import { createMessageStore } from '../../src/storage/sqlite/chat/messages.ts';
import { openDatabase } from '../../tests/support/store/open-store.ts';
import { openBareMessages } from './bare-messages.ts';
import type { ChatCorpus } from './chat-corpus.ts';
import { type ChatQuery, type Keys, type QueryKind, queryKinds } from './chat-queries.ts';
import { randomFrom } from './generated-words.ts';
import { longestTurn } from './longest-turn.ts';
import type { Measure, Samples } from './report.ts';
import { percentile } from './rounds.ts';
import type { Xapian } from './xapian.ts';

/** The batch size of history from a network. */
const BATCH = 100;

export interface ChatEffort {
  searches: number;
  /** For LIKE, which is slow. */
  slowSearches: number;
}

export const INGEST_MEASURES: Measure[] = [
  { id: 'ingest/each', title: 'to store a message, searchable', unit: 'µs' },
  { id: 'ingest/rate', title: 'messages stored', unit: '/s' },
  { id: 'size', title: 'size', unit: 'MB' },
  { id: 'ingest/turn', title: 'longest turn while storing', unit: 'ms' },
  { id: 'search/turn', title: 'longest turn while searching', unit: 'ms' },
];

/** Fills all stores with the same messages, batch by batch in turn. */
export async function fillStores(
  { corpus, folder, xapian }: { corpus: ChatCorpus; folder: string; xapian: Xapian | undefined },
  samples: Samples,
): Promise<string> {
  const path = join(folder, 'ours.db');
  const db = await openDatabase({ location: path, clock: systemClock });
  const ours = createMessageStore(db, systemClock);
  const bare = openBareMessages(join(folder, 'bare.db'));
  const spent = { ours: 0, bare: 0, xapian: 0, turn: 0 };
  for (let start = 0; start < corpus.messages; start += BATCH) {
    const messages = corpus.part(start, BATCH);
    const events = messages.map((message) => ({ kind: 'message', message }) as const);
    const insertBare = bare.prepare(messages);
    const { result, ms } = await longestTurn(() =>
      timed(() => ours.record({ source: 'bench', events, origin: 'older' })),
    );
    spent.ours += result;
    spent.turn = Math.max(spent.turn, ms);
    spent.bare += await timed(async () => insertBare());
    if (xapian) spent.xapian += await xapian.index(messages);
  }
  bare.close();
  await db.close();
  for (const id of ['ours', 'bare', 'xapian'] as const) {
    if (spent[id] === 0) continue;
    samples.add('ingest/each', id, (spent[id] * 1_000) / corpus.messages);
    samples.add('ingest/rate', id, (corpus.messages * 1_000) / spent[id]);
  }
  samples.add('size', 'ours', statSync(path).size / 1e6);
  samples.add('ingest/turn', 'ours', spent.turn);
  return path;
}

export function searchMeasures(corpus: ChatCorpus): Measure[] {
  return kindsWithoutKeys(corpus).flatMap(({ id, title }): Measure[] => [
    { id: `${id}/p50`, title: `${title}, median`, unit: 'ms' },
    { id: `${id}/p99`, title: `${title}, 99 of 100 within`, unit: 'ms' },
  ]);
}

export function kindsWithoutKeys(corpus: ChatCorpus): QueryKind[] {
  return queryKinds(corpus, { chat: () => 0, sender: () => 0 });
}

export async function measureSearches(
  { corpus, path, xapian }: { corpus: ChatCorpus; path: string; xapian: Xapian | undefined },
  effort: ChatEffort,
  samples: Samples,
): Promise<void> {
  const db = await openDatabase({ location: path, clock: systemClock });
  const plain = new DatabaseSync(path);
  const ours = createMessageStore(db, systemClock);
  let turn = 0;
  for (const kind of queryKinds(corpus, keysOf(plain))) {
    const spent: Record<string, number[]> = { ours: [], like: [], xapian: [] };
    const random = randomFrom(7);
    for (let index = 0; index < effort.searches; index++) {
      const { ours: own, like, peer } = kind.make(random);
      const { result, ms } = await longestTurn(() => timed(() => ours.find(own.filter, own.page)));
      spent.ours?.push(result);
      turn = Math.max(turn, ms);
      if (like && index < effort.slowSearches) spent.like?.push(await timed(async () => searchPlainly(plain, like)));
      if (xapian && peer) spent.xapian?.push(await xapian.search(peer));
    }
    for (const [id, values] of Object.entries(spent)) addPercentiles(samples, kind.id, id, values);
  }
  samples.add('search/turn', 'ours', turn);
  plain.close();
  await db.close();
}

function addPercentiles(samples: Samples, kind: string, contender: string, values: readonly number[]): void {
  if (values.length === 0) return;
  samples.add(`${kind}/p50`, contender, percentile(values, 0.5));
  samples.add(`${kind}/p99`, contender, percentile(values, 0.99));
}

function searchPlainly(db: DatabaseSync, { where, values }: NonNullable<ChatQuery['like']>): void {
  db.prepare(`select * from messages not indexed where ${where} order by id desc limit 20`).all(...values);
}

function keysOf(db: DatabaseSync): Keys {
  const read = (table: 'chats' | 'senders') => {
    const rows = db.prepare(`select key, id from ${table}`).all() as { key: number; id: string }[];
    const keys = new Map(rows.map(({ key, id }) => [id, key]));
    return (id: string) => keys.get(id) ?? 0;
  };
  return { chat: read('chats'), sender: read('senders') };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
