import { createEmailCorpus, type EmailCorpus } from './support/email-corpus.ts';
import { startEmailDaemon } from './support/email-daemon.ts';
import { installedPeers } from './support/email-peers.ts';
import { emailQueryKinds } from './support/email-queries.ts';
import { type EmailServer, startEmailServer } from './support/email-server.ts';
import { startImapRelay } from './support/imap-relay.ts';
import { EMAIL_LIVE_MEASURES, measureEmailLive } from './support/measure-email-live.ts';
import { emailSearchMeasures, measureEmailSearches } from './support/measure-email-search.ts';
import { EMAIL_SYNC_MEASURES, measureFirstSync, measureIncrementalSync } from './support/measure-email-sync.ts';
import { createSamples, type Measure, type Report, type Samples, summarize, type Target } from './support/report.ts';

export const title =
  'mail synced and searched, against mbsync with mu and notmuch, and against the search of the server';

/** Printed below the table. */
export const legend = [
  'ratio: ours to mbsync, to mbsync + mu where emails become searchable, and to the server for searches',
  'first sync: from the start of the program with an empty home; the others from the start of mbsync with an empty folder',
  'sync of changes: made while our daemon is suspended; it then receives the report of the server and a request to sync',
  'turn: for how long nothing else in the process could run, less what the host of a virtual machine took from it',
  'search: search_emails over MCP through a shim; the server is asked with UID SEARCH and has no full-text index',
];

/** The code that stores changes is compiled in the first of many rounds. */
const FULL = { emails: 20_000, rounds: 3, changes: 11, searches: 300, slowSearches: 4, live: 20 };
const QUICK = { emails: 300, rounds: 1, changes: 1, searches: 5, slowSearches: 1, live: 1 };

export async function run({ quick, messages }: { quick: boolean; messages?: number | undefined }): Promise<Report> {
  const effort = quick ? QUICK : FULL;
  const emails = messages ?? effort.emails;
  const corpus = createEmailCorpus(emails);
  const samples = createSamples();
  const peers = installedPeers({ install: !quick });
  const server = await startEmailServer(corpus, emails);
  try {
    await measure({ corpus, emails, server, peers }, effort, samples);
  } finally {
    await server.stop();
  }
  return summarize(samples, {
    contenders: [
      { id: 'ours', title: 'Switchboard' },
      { id: 'mbsync', title: 'mbsync' },
      { id: 'mu', title: 'mbsync + mu' },
      { id: 'notmuch', title: 'mbsync + notmuch' },
      { id: 'imap', title: 'the server' },
    ],
    measures: [...EMAIL_SYNC_MEASURES, ...EMAIL_LIVE_MEASURES, ...emailSearchMeasures(corpus), TOOLS],
    targets: targets(corpus),
    ours: 'ours',
    peer: 'mbsync',
  });
}

const TOOLS: Measure = { id: 'tools', title: 'list of the tools', unit: 'KB' };

async function measure(
  contest: Parameters<typeof measureFirstSync>[0],
  effort: typeof FULL,
  samples: Samples,
): Promise<void> {
  const { corpus, server } = contest;
  const synced = await measureFirstSync(contest, effort.rounds, samples);
  await measureIncrementalSync(contest, synced, effort.changes, samples);
  await measureEmailSearches({ corpus, server, daemon: synced.daemon }, effort, samples);
  const { tools } = await synced.daemon.agent.request('tools/list');
  samples.add(TOOLS.id, 'ours', Buffer.byteLength(JSON.stringify(tools)) / 1_000);
  await synced.daemon.stop();
  await measureNews(synced.home, server, effort.live, samples);
}

/** The same home, with a relay before the server that sees when it reports new mail. */
async function measureNews(home: string, server: EmailServer, emails: number, samples: Samples): Promise<void> {
  const relay = await startImapRelay(server.imap);
  const daemon = await startEmailDaemon(home, { ...server.imap, port: relay.port });
  await daemon.sync();
  await measureEmailLive({ server, daemon, relay }, emails, samples);
  await daemon.stop();
  relay.close();
}

/** A fifth of the time is five times as fast; twice the time is half the rate. */
function targets(corpus: EmailCorpus): Target[] {
  const kinds = emailQueryKinds(corpus);
  return [
    { measure: 'first', of: 'ours', times: 'mu', atMost: 0.2 },
    { measure: 'first', of: 'ours', times: 'notmuch', atMost: 0.083 },
    { measure: 'fetch', of: 'ours', times: 'mbsync', atMost: 2 },
    { measure: 'incremental', of: 'ours', times: 'mbsync', atMost: 1 },
    { measure: 'memory', of: 'ours', atMost: 250 },
    { measure: 'turn', of: 'ours', atMost: 50 },
    { measure: 'live/p50', of: 'ours', atMost: 100 },
    { measure: TOOLS.id, of: 'ours', atMost: 12 },
    ...kinds.map(({ id }): Target => ({ measure: `${id}/p50`, of: 'ours', atMost: 3 })),
    ...kinds
      .filter(({ readsEverything }) => readsEverything)
      .map(({ id }): Target => ({ measure: `${id}/p50`, of: 'ours', times: 'imap', atMost: 0.0033 })),
  ];
}
