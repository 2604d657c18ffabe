import type { EmailDaemon } from './email-daemon.ts';
import type { EmailServer } from './email-server.ts';
import { wordOf } from './generated-words.ts';
import type { ImapRelay } from './imap-relay.ts';
import type { Measure, Samples } from './report.ts';
import { percentile } from './rounds.ts';

/** Unmeasured emails: code is compiled when it first runs. */
const FIRST = 3;

export const EMAIL_LIVE_MEASURES: Measure[] = [
  { id: 'live/p50', title: 'reported by the server until it is found, median', unit: 'ms' },
  { id: 'live/most', title: 'reported by the server until it is found, at most', unit: 'ms' },
];

/** From the server's report of a new email, in IDLE, until `search_emails` finds it. */
export async function measureEmailLive(
  { server, daemon, relay }: { server: EmailServer; daemon: EmailDaemon; relay: ImapRelay },
  emails: number,
  samples: Samples,
): Promise<void> {
  const spent: number[] = [];
  for (let number = 0; number < FIRST + emails; number++) {
    const word = `unheard${wordOf(number)}`;
    const reported = relay.nextReport();
    await server.other.append('INBOX', newEmail(number, word));
    const reportedAt = await reported;
    while (!(await isFound(daemon, word)));
    if (number >= FIRST) spent.push(performance.now() - reportedAt);
  }
  samples.add('live/p50', 'ours', percentile(spent, 0.5));
  samples.add('live/most', 'ours', Math.max(...spent));
}

async function isFound({ agent }: EmailDaemon, word: string): Promise<boolean> {
  const { structuredContent } = await agent.request('tools/call', {
    name: 'search_emails',
    arguments: { query: word },
  });
  return (structuredContent as { emails: unknown[] }).emails.length > 0;
}

function newEmail(number: number, word: string): Uint8Array {
  return Buffer.from(`From: Bob <bob@example.test>
To: Alice <alice@example.test>
Subject: News ${number}
Date: ${new Date().toUTCString()}
Message-ID: <news-${number}@example.test>
Content-Type: text/plain; charset=utf-8

The word is ${word}.
`);
}
