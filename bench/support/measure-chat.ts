import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ChatCorpus } from './chat-corpus.ts';
import { type ChatHome, timed } from './chat-home.ts';
import { type ChatQuery, type QueryKind, queryKinds } from './chat-queries.ts';
import { type Client, shakeHands } from './client.ts';
import { randomFrom } from './generated-words.ts';
import { announced, end, start } from './process.ts';
import type { Measure, Samples } from './report.ts';
import { percentile } from './rounds.ts';
import { createStdioClient } from './stdio-client.ts';
import type { Xapian } from './xapian.ts';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');
const TURNS = join(import.meta.dirname, 'longest-turn-program.mjs');
/** Unmeasured searches of each kind: code is compiled when it first runs. */
const FIRST = 20;
const SEED = 7;

export interface ChatEffort {
  searches: number;
  /** For LIKE, which is slow. */
  slowSearches: number;
}

export function searchMeasures(corpus: ChatCorpus): Measure[] {
  return [
    { id: 'search/turn', title: 'longest turn while searching', unit: 'ms' },
    { id: 'latest/size', title: 'a default page, largest answer', unit: 'KB' },
    ...queryKinds(corpus).flatMap(({ id, title }): Measure[] => [
      { id: `${id}/p50`, title: `${title}, median`, unit: 'ms' },
      { id: `${id}/p99`, title: `${title}, 99 of 100 within`, unit: 'ms' },
    ]),
  ];
}

/** Ours from a client's request to its answer, over stdio through the shim to a daemon; the others in their own process. */
export async function measureSearches(
  { corpus, home: { home, database }, xapian }: { corpus: ChatCorpus; home: ChatHome; xapian: Xapian | undefined },
  effort: ChatEffort,
  samples: Samples,
): Promise<void> {
  const turns = join(home, 'longest-turn');
  rmSync(turns, { force: true });
  const env = { SWITCHBOARD_HOME: home };
  const daemon = start({
    args: ['--import', TURNS, CLI, 'serve', '--port', '0'],
    env: { ...env, BENCH_LONGEST_TURN: turns },
  });
  await announced(daemon, /http:\/\/127\.0\.0\.1:\d+/);
  const agent = createStdioClient(start({ args: [CLI, 'mcp'], env }));
  const plain = new DatabaseSync(database, { readOnly: true });
  try {
    await shakeHands(agent);
    for (const kind of queryKinds(corpus)) {
      await measureOurs(kind, agent, effort.searches, samples);
      await measurePeers(kind, { plain, xapian }, effort, samples);
    }
    samples.add('search/turn', 'ours', longestTurnIn(turns));
  } finally {
    plain.close();
    await agent.close();
    await end(daemon, 'SIGTERM');
  }
}

async function measureOurs({ id, tool, make }: QueryKind, agent: Client, searches: number, samples: Samples) {
  const spent: number[] = [];
  let largest = 0;
  const random = randomFrom(SEED);
  for (let index = -Math.min(FIRST, searches); index < searches; index++) {
    const { arguments: asked } = make(random);
    const startedAt = performance.now();
    const answer = await agent.request('tools/call', { name: tool, arguments: asked });
    if (index >= 0) spent.push(performance.now() - startedAt);
    largest = Math.max(largest, Buffer.byteLength(JSON.stringify(answer)));
  }
  addPercentiles(samples, id, 'ours', spent);
  samples.add(`${id}/size`, 'ours', largest / 1_000);
}

async function measurePeers(
  { id, make }: QueryKind,
  { plain, xapian }: { plain: DatabaseSync; xapian: Xapian | undefined },
  { searches, slowSearches }: ChatEffort,
  samples: Samples,
): Promise<void> {
  const spent = { like: [] as number[], xapian: [] as number[] };
  const random = randomFrom(SEED);
  for (let index = 0; index < searches; index++) {
    const { like, peer } = make(random);
    if (like && index < slowSearches) spent.like.push(await timed(async () => searchPlainly(plain, like)));
    if (xapian && peer) spent.xapian.push(await xapian.search(peer));
  }
  addPercentiles(samples, id, 'like', spent.like);
  addPercentiles(samples, id, 'xapian', spent.xapian);
}

function addPercentiles(samples: Samples, kind: string, contender: string, values: readonly number[]): void {
  if (values.length === 0) return;
  samples.add(`${kind}/p50`, contender, percentile(values, 0.5));
  samples.add(`${kind}/p99`, contender, percentile(values, 0.99));
}

function searchPlainly(db: DatabaseSync, { where, values }: NonNullable<ChatQuery['like']>): void {
  db.prepare(`select * from messages not indexed where ${where} order by id desc limit 20`).all(...values);
}

/** 0 if it was never blocked for long. */
function longestTurnIn(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}
