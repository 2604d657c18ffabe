import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createChatCorpus } from './support/chat-corpus.ts';
import { chatHomeIn, fillStores, INGEST_MEASURES } from './support/chat-home.ts';
import { queryKinds } from './support/chat-queries.ts';
import { measureSearches, searchMeasures } from './support/measure-chat.ts';
import { LIVE_MEASURES, measureLive } from './support/measure-live.ts';
import { createSamples, type Report, summarize, type Target } from './support/report.ts';
import { openXapian } from './support/xapian.ts';

export const title = 'messages stored and searched, against LIKE on the same data, a bare insert, and Xapian';

/** Printed below the table. */
export const legend = [
  'ours: from the request of an MCP client to its answer, over stdio through the shim to the daemon; the others: in their own process',
  'ratio: ours to LIKE, which finds common words in the newest messages at once and has to read everything for others',
  'bare insert: the same rows into the same table and full-text index, and nothing else',
  'Xapian: the engine of notmuch, in a process of its own that measures itself; it does not find parts of words',
  'turn: for how long nothing else in the process could run, less what the host of a virtual machine took from it',
  'posted: over HTTP to the built program, stored, and told to an agent that follows it through a shim',
];

const FULL = { messages: 1_000_000, searches: 300, slowSearches: 12, posts: 1_000 };
const QUICK = { messages: 2_000, searches: 5, slowSearches: 2, posts: 5 };

export interface ChatOptions {
  quick: boolean;
  messages?: number | undefined;
  /** A folder that remains: its home is measured again by the next run with as many messages. */
  keep?: string | undefined;
}

export async function run({ quick, messages, keep }: ChatOptions): Promise<Report> {
  const effort = quick ? QUICK : FULL;
  const corpus = createChatCorpus(messages ?? effort.messages);
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const samples = createSamples();
  const home = chatHomeIn(keep === undefined ? folder : resolve(keep), corpus);
  const xapian = home.isFilled ? undefined : await openXapian(join(folder, 'xapian'), { install: !quick });
  if (!home.isFilled) await fillStores({ corpus, home, bareAt: join(folder, 'bare.db'), xapian }, samples);
  await measureSearches({ corpus, home, xapian }, effort, samples);
  await xapian?.close();
  await measureLive(effort.posts, samples);
  return summarize(samples, {
    contenders: [
      { id: 'ours', title: 'Switchboard' },
      { id: 'like', title: 'LIKE' },
      { id: 'bare', title: 'bare insert' },
      { id: 'xapian', title: 'Xapian' },
    ],
    measures: [...INGEST_MEASURES, ...LIVE_MEASURES, ...searchMeasures(corpus)],
    targets: targets(),
    ours: 'ours',
    peer: 'like',
  });

  /** A twentieth of the time is twenty times as fast; twice the time is half the rate. */
  function targets(): Target[] {
    const kinds = queryKinds(corpus);
    return [
      { measure: 'ingest/each', of: 'ours', times: 'bare', atMost: 2 },
      { measure: 'ingest/turn', of: 'ours', atMost: 50 },
      { measure: 'search/turn', of: 'ours', atMost: 50 },
      { measure: 'latest/size', of: 'ours', atMost: 20 },
      { measure: 'live/p99', of: 'ours', atMost: 50 },
      ...kinds.map(({ id, within }): Target => ({ measure: `${id}/p99`, of: 'ours', atMost: within })),
      ...kinds
        .filter(({ isHardForLike }) => isHardForLike)
        .map(({ id }): Target => ({ measure: `${id}/p50`, of: 'ours', times: 'like', atMost: 0.05 })),
    ];
  }
}
