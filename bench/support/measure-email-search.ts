import type { EmailCorpus } from './email-corpus.ts';
import type { EmailDaemon } from './email-daemon.ts';
import { type EmailQueryKind, emailQueryKinds } from './email-queries.ts';
import type { EmailServer } from './email-server.ts';
import { randomFrom } from './generated-words.ts';
import { searchUids } from './imap-client.ts';
import type { Measure, Samples } from './report.ts';
import { percentile } from './rounds.ts';

export interface SearchEffort {
  searches: number;
  /** Of the server, which is slow. */
  slowSearches: number;
}

export function emailSearchMeasures(corpus: EmailCorpus): Measure[] {
  return emailQueryKinds(corpus).flatMap(({ id, title }): Measure[] => [
    { id: `${id}/p50`, title: `${title}, median`, unit: 'ms', peer: 'imap' },
    { id: `${id}/p99`, title: `${title}, 99 of 100 within`, unit: 'ms', peer: 'imap' },
  ]);
}

/** From request to answer: ours over MCP through a shim, the server's over IMAP. */
export async function measureEmailSearches(
  { corpus, server, daemon }: { corpus: EmailCorpus; server: EmailServer; daemon: EmailDaemon },
  { searches, slowSearches }: SearchEffort,
  samples: Samples,
): Promise<void> {
  for (const kind of emailQueryKinds(corpus)) {
    // Code is compiled when it first runs.
    await searchOurs(kind, daemon, Math.ceil(searches / 5));
    const ours = await searchOurs(kind, daemon, searches);
    const imap = await searchServer(kind, server, slowSearches);
    if (ours.found === 0 && imap.found > 0) throw new Error(`No search for ${kind.title} found an email.`);
    for (const [id, { spent }] of Object.entries({ ours, imap })) {
      samples.add(`${kind.id}/p50`, id, percentile(spent, 0.5));
      if (id === 'ours') samples.add(`${kind.id}/p99`, id, percentile(spent, 0.99));
    }
  }
}

interface Searched {
  /** Milliseconds of each. */
  spent: number[];
  found: number;
}

async function searchOurs({ make }: EmailQueryKind, { agent }: EmailDaemon, count: number): Promise<Searched> {
  return repeated(count, async (random) => {
    const { structuredContent } = await agent.request('tools/call', {
      name: 'search_emails',
      arguments: make(random).ours,
    });
    return (structuredContent as { emails: unknown[] }).emails.length;
  });
}

async function searchServer({ make }: EmailQueryKind, { other }: EmailServer, count: number): Promise<Searched> {
  return repeated(count, async (random) => (await searchUids(other, make(random).imap)).length);
}

async function repeated(count: number, search: (random: () => number) => Promise<number>): Promise<Searched> {
  const random = randomFrom(7);
  const searched: Searched = { spent: [], found: 0 };
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    searched.found += await search(random);
    searched.spent.push(performance.now() - startedAt);
  }
  return searched;
}
