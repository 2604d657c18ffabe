import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { createMessageStore } from '../../src/storage/sqlite/chat/messages.ts';
import { createSourceRepository } from '../../src/storage/sqlite/chat/sources.ts';
import { updateIndex } from '../../src/storage/sqlite/chat/update-index.ts';
import { openDatabase } from '../../tests/support/store/open-store.ts';
import { openBareMessages } from './bare-messages.ts';
import { CHAT_SOURCES, type ChatCorpus, type SourcedMessage } from './chat-corpus.ts';
import { longestTurn } from './longest-turn.ts';
import type { Measure, Samples } from './report.ts';
import type { Xapian } from './xapian.ts';

/** The batch size of history from a network. */
const BATCH = 100;

export const INGEST_MEASURES: Measure[] = [
  { id: 'ingest/each', title: 'to store a message, searchable', unit: 'µs' },
  { id: 'ingest/rate', title: 'messages stored', unit: '/s' },
  { id: 'ingest/index', title: 'then, in the background: pairs of words, and merging', unit: 's' },
  { id: 'size', title: 'size', unit: 'MB' },
  { id: 'ingest/turn', title: 'longest turn while storing', unit: 'ms' },
];

/** A home of the program whose store has all messages of a corpus, as archives. */
export interface ChatHome {
  readonly home: string;
  /** Its SQLite file. */
  readonly database: string;
  /** Whether an earlier run has filled it. */
  readonly isFilled: boolean;
}

/** The home in this folder, which a former run may have filled with as many messages. */
export function chatHomeIn(folder: string, corpus: ChatCorpus): ChatHome {
  const home = join(folder, 'home');
  const isFilled = existsSync(markIn(home)) && readFileSync(markIn(home), 'utf8') === String(corpus.messages);
  if (!isFilled) rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return { home, database: join(home, 'switchboard.db'), isFilled };
}

const markIn = (home: string) => join(home, 'corpus-messages');

/** Fills all stores with the same messages, batch by batch in turn. */
export async function fillStores(
  { corpus, home, bareAt, xapian }: { corpus: ChatCorpus; home: ChatHome; bareAt: string; xapian: Xapian | undefined },
  samples: Samples,
): Promise<void> {
  const db = await openDatabase({ location: home.database, clock: systemClock });
  const ours = createMessageStore(db, systemClock);
  const repository = createSourceRepository(db);
  for (const id of CHAT_SOURCES)
    await repository.add({ id, kind: 'archive', name: id, settings: { format: 'irc' }, createdAt: corpus.to });
  const bare = openBareMessages(bareAt);
  const spent = { ours: 0, bare: 0, xapian: 0, turn: 0 };
  for (const batch of batchesOf(corpus)) {
    const messages = batch.map(({ message }) => message);
    const source = batch[0]?.source ?? '';
    const events = messages.map((message) => ({ kind: 'message', message }) as const);
    const insertBare = bare.prepare(messages);
    const { result, ms } = await longestTurn(() => timed(() => ours.record({ source, events, origin: 'older' })));
    spent.ours += result;
    spent.turn = Math.max(spent.turn, ms);
    spent.bare += await timed(async () => insertBare());
    if (xapian) spent.xapian += await xapian.index(messages);
  }
  bare.close();
  samples.add('ingest/index', 'ours', (await timed(() => awake(updateIndex(db)))) / 1_000);
  await db.close();
  for (const id of ['ours', 'bare', 'xapian'] as const) {
    if (spent[id] === 0) continue;
    samples.add('ingest/each', id, (spent[id] * 1_000) / corpus.messages);
    samples.add('ingest/rate', id, (corpus.messages * 1_000) / spent[id]);
  }
  samples.add('size', 'ours', statSync(home.database).size / 1e6);
  samples.add('ingest/turn', 'ours', spent.turn);
  writeFileSync(markIn(home.home), String(corpus.messages));
}

/** A source's messages in batches, roughly in order of time: the last ones of each source are at the end. */
function* batchesOf(corpus: ChatCorpus): Generator<SourcedMessage[]> {
  const waiting = new Map<string, SourcedMessage[]>();
  for (let index = 0; index < corpus.messages; index++) {
    const one = corpus.message(index);
    const batch = waiting.get(one.source) ?? [];
    batch.push(one);
    waiting.set(one.source, batch);
    if (batch.length < BATCH) continue;
    waiting.delete(one.source);
    yield batch;
  }
  yield* waiting.values();
}

/** Waiting for a quiet store keeps no process alive, and nothing else runs in this one. */
async function awake<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, 1_000);
  return work.finally(() => clearInterval(timer));
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
