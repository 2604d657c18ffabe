import type { FolderChanges, MailFacts, UidRange } from '../../mail-connector.ts';
import { MailError } from '../../mail-connector.ts';
import type { ImapConnection } from './connection.ts';
import type { FetchedRow } from './fetch-rows.ts';
import { hasCondstore } from './folders.ts';
import { MAX_VANISHED } from './limits.ts';
import { toFacts, visibleFlags } from './mail-facts.ts';
import { quickFlags } from './quick-row.ts';
import { numbersOf, rangeText, uidSets } from './uid-set.ts';

const FACTS = { uid: true, flags: true, internalDate: true, size: true, threadId: true };

export async function uidsInRange(
  connection: ImapConnection,
  path: string,
  range: UidRange,
): Promise<readonly number[]> {
  const set = rangeText(range);
  return set === undefined ? [] : uidsFound(connection, path, { uid: set });
}

/** Those that the folder has, ascending: all, or of these. */
export async function uidsIn(
  connection: ImapConnection,
  path: string,
  wanted?: readonly number[],
): Promise<readonly number[]> {
  if (!wanted) return uidsFound(connection, path, { all: true });
  const found: number[] = [];
  for (const { set } of uidSets(wanted)) found.push(...(await uidsFound(connection, path, { uid: set })));
  return found;
}

async function uidsFound(
  { client, inFolder, accepted }: ImapConnection,
  path: string,
  query: { all: true } | { uid: string },
): Promise<readonly number[]> {
  return inFolder(path, 'read', async (folder) => {
    const { all } = accepted(await client.search(query, { uid: true, returnOptions: ['ALL'] })) as { all?: string };
    if (all === undefined || all === '') return [];
    const uids = numbersOf(all, folder.exists);
    if (!uids) throw new MailError('refused', 'The server lists more emails than the folder has.');
    return uids;
  });
}

export async function factsInRange(
  { client, inFolder }: ImapConnection,
  path: string,
  range: UidRange,
): Promise<readonly MailFacts[]> {
  const text = rangeText(range);
  if (text === undefined) return [];
  const rows = await inFolder(path, 'read', () => client.fetchAll(text, FACTS, { uid: true }));
  const facts = new Map<number, MailFacts>();
  for (const row of rows) {
    if (row.size !== undefined && row.uid >= range.from && row.uid <= range.to) facts.set(row.uid, toFacts(row));
  }
  return [...facts.values()].sort((a, b) => a.uid - b.uid);
}

export async function changesSince(
  connection: ImapConnection,
  path: string,
  { uidValidity, modseq }: { uidValidity: string; modseq: string },
): Promise<FolderChanges> {
  const { client, inFolder, responses } = connection;
  if (!hasCondstore(connection)) throw new MailError('refused', 'The server does not keep track of changes.');
  if (!/^\d+$/.test(modseq)) throw new MailError('refused', 'This is not a state of a folder.');
  return inFolder(path, 'read', async (folder) => {
    if (String(folder.uidValidity) !== uidValidity || folder.noModseq) {
      throw new MailError('refused', 'The changes of this folder cannot be told.');
    }
    const vanished = new Set<number>();
    const onGone = ({ uid }: { uid?: number }) => {
      if (uid !== undefined && vanished.size <= MAX_VANISHED) vanished.add(uid);
    };
    client.on('expunge', onGone);
    try {
      const changed = new Map<number, readonly string[]>();
      const query = { uid: true, flags: true };
      const note = ({ uid, flags }: Pick<FetchedRow, 'uid' | 'flags'>) => {
        if (uid && flags) changed.set(uid, visibleFlags(flags));
      };
      await responses.linesDuring(
        (line) => {
          const row = quickFlags(line);
          if (row) note(row);
          return row !== undefined;
        },
        async () => {
          const rows = client.fetch('1:*', query, { uid: true, changedSince: BigInt(modseq) });
          for await (const row of rows) note(row);
        },
      );
      return {
        flags: [...changed].map(([uid, flags]) => ({ uid, flags })),
        // Comparing all UIDs is better than a longer list.
        ...(client.enabled.has('QRESYNC') && vanished.size <= MAX_VANISHED
          ? { vanished: [...vanished].sort((a, b) => a - b) }
          : {}),
      };
    } finally {
      client.off('expunge', onGone);
    }
  });
}
