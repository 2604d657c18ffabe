import type { ImapFlow } from 'imapflow';
import type { ImapConnection } from './connection.ts';
import { uidSets } from './uid-set.ts';

/** Search results that are looked at. */
const MAX_HITS = 500;
/** The newest emails are looked at anyway: some servers (iCloud) find no headers. */
const NEWEST = 50;

/** UIDs of emails with exactly this Message-ID: a server searches for a part of it. */
export async function uidsWithMessageId(
  { client, inFolder, accepted }: ImapConnection,
  path: string,
  rfcMessageId: string,
): Promise<readonly number[]> {
  if (!isSearchable(rfcMessageId)) return [];
  return inFolder(path, 'read', async (folder) => {
    const query = { header: { 'message-id': rfcMessageId } };
    const hits = accepted(await client.search(query, { uid: true })) as readonly number[];
    const found = new Set<number>();
    for (const { set } of uidSets(hits.slice(-MAX_HITS))) await collect(client, set, true, rfcMessageId, found);
    if (found.size === 0 && folder.exists > 0) {
      const newest = `${Math.max(1, folder.exists - NEWEST + 1)}:*`;
      await collect(client, newest, false, rfcMessageId, found);
    }
    return [...found].sort((a, b) => a - b);
  });
}

async function collect(client: ImapFlow, set: string, uid: boolean, id: string, found: Set<number>): Promise<void> {
  for await (const row of client.fetch(set, { uid: true, headers: ['message-id'] }, { uid })) {
    if (row.headers && idIn(row.headers) === id) found.add(row.uid);
  }
}

function idIn(headers: Buffer): string | undefined {
  const value = /^message-id:(.*)/is.exec(headers.toString('utf8'))?.[1]?.replaceAll(/\r?\n(?=[ \t])/g, '') ?? '';
  return (/<([^<>]*)>/.exec(value)?.[1] ?? value).trim();
}

/** Control characters cannot be in a command, nor in an id. */
function isSearchable(id: string): boolean {
  return id !== '' && id.length <= 1_000 && !/[\x00-\x1f\x7f]/.test(id);
}
