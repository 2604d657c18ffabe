import type { MailStore } from '../../../email/ports.ts';
import type { Clock } from '../../../lib/clock.ts';
import { createMergeScheduler } from '../chat/merge-scheduler.ts';
import { FULL_TEXT_INDEXES, mergeWhileQuiet } from '../chat/merge-segments.ts';
import { createIdAllocator, parseId } from '../chat/message-ids.ts';
import { isFolderNamed } from '../chat/named-rows.ts';
import { wordCount } from '../chat/prepare-events.ts';
import { createVocabulary } from '../chat/vocabulary.ts';
import type { Database, Transaction } from '../database.ts';
import { deleteUnlocated, unlocatedOf } from './delete-unlocated.ts';
import { flagColumns, formatFlags } from './flags.ts';
import { beginFolder, checkFolder, foldersOf, removeFolder, saveFolders, saveProgress } from './folders.ts';
import { addLocations, moveLocations, removeLocations } from './locations.ts';
import { emailsOf } from './mail-rows.ts';
import { prepareMails, recordMails } from './record-mail.ts';

export function createMailStore(db: Database, clock: Clock): MailStore {
  const ids = createIdAllocator();
  const vocabulary = createVocabulary();
  const mergeScheduler = createMergeScheduler(db);
  return {
    prioritize: (work) => db.prioritize(work),
    folders: (account) => db.read((reader) => foldersOf(reader, account)),
    foldersNamed: (account, wanted) =>
      db.read((reader) => foldersOf(reader, account).filter((folder) => isFolderNamed(folder, wanted))),
    async saveFolders(account, remote) {
      for (const { key } of await db.write((tx) => saveFolders(tx, account, remote))) await removeFolder(db, key);
      return db.read((reader) => foldersOf(reader, account));
    },
    saveProgress: (folder, progress, expected) =>
      db.write(
        (tx) => {
          if (expected) checkFolder(tx, folder, expected);
          saveProgress(tx, folder, progress);
        },
        { durable: false },
      ),
    beginFolder: (folder, state) => beginFolder(db, folder, state),
    async record(batch) {
      const mails = await prepareMails(batch);
      const {
        added,
        ids: stored,
        onCommitted,
      } = await db.write(
        (tx) => recordMails(tx, batch, mails, { ids, vocabulary, now: clock.now() }),
        // The server still has it, and how far the folder is stored is lost together with it.
        { durable: batch.origin === 'live' },
      );
      onCommitted();
      // Merging what a bulk job adds would hold it up; that is done once, after it.
      if (batch.origin !== 'older') mergeScheduler.wordsAdded(wordCount(mails.map(({ prepared }) => prepared.indexed)));
      return { added, ids: stored };
    },
    locateKnown: (account, folder, facts, expected) =>
      db.write(
        (tx) => {
          if (expected) checkFolder(tx, folder, expected);
          return locateKnown(tx, account, folder, facts);
        },
        { durable: false },
      ),
    saveFlags: (folder, changes, progress) =>
      db.write(
        (tx) => {
          const changed = saveFlags(tx, folder, changes);
          if (progress) saveProgress(tx, folder, progress);
          return changed;
        },
        { durable: false },
      ),
    uids: (folder, { from, to }) =>
      db.read((reader) =>
        reader
          .all<{ uid: number }>(
            'select uid from email_locations where folder = ? and uid >= ? and uid <= ? order by uid',
            folder,
            from,
            to,
          )
          .map(({ uid }) => uid),
      ),
    removeLocations: (folder, uids) => db.write((tx) => removeLocations(tx, folder, uids), { durable: false }),
    moveLocations: (folder, target, uids) => db.write((tx) => moveLocations(tx, folder, target, uids)),
    unlocated: (account) => db.read((reader) => unlocatedOf(reader, account)),
    deleteUnlocated: (account, wanted) =>
      deleteUnlocated(
        db,
        account,
        wanted.flatMap((id) => parseId(id) ?? []),
        clock.now,
      ),
    byIds: (wanted) =>
      db.read((reader) =>
        emailsOf(
          reader,
          wanted.flatMap((id) => parseId(id) ?? []),
        ),
      ),
    byRfcId: (account, rfcMessageId) =>
      db.read((reader) => {
        const rows = reader.all<{ message: number }>(BY_RFC_ID, account, rfcMessageId);
        return emailsOf(
          reader,
          rows.map(({ message }) => message),
        );
      }),
    counts: (account) => db.read((reader) => reader.all<FolderCount>(COUNTS, account).map((row) => ({ ...row }))),
    async mergeIndex() {
      for (const index of FULL_TEXT_INDEXES) await mergeWhileQuiet(db, index);
    },
    accounts: () =>
      db.read((reader) =>
        reader.all<{ account: string }>('select distinct account from email_folders').map(({ account }) => account),
      ),
    async removeAccount(account) {
      for (const { key } of await db.read((reader) => foldersOf(reader, account))) await removeFolder(db, key);
    },
  };
}

type FolderCount = Awaited<ReturnType<MailStore['counts']>>[number];

const BY_RFC_ID = `
  select e.message from email_contents as e join chat_sources as o on o.key = e.account where o.id = ? and e.rfc_id = ?`;
const COUNTS = `
  select f.key as folder, count(e.message) as messages, coalesce(sum(e.is_seen = 0), 0) as unread
  from email_folders as f left join email_locations as l on l.folder = f.key left join emails as e on e.message = l.message
  where f.account = ? group by f.key`;
const BY_SERVER_ID = `
  select e.message from email_contents as e join chat_sources as o on o.key = e.account where o.id = ? and e.server_id = ?`;

/** Returns the UIDs of those that are not stored yet. */
function locateKnown(
  tx: Transaction,
  account: string,
  folder: number,
  facts: Parameters<MailStore['locateKnown']>[2],
): number[] {
  const unknown: number[] = [];
  const located: { uid: number; message: number }[] = [];
  for (const { uid, emailId } of facts) {
    const known = emailId === undefined ? undefined : tx.get<{ message: number }>(BY_SERVER_ID, account, emailId);
    if (known) located.push({ uid, message: known.message });
    else unknown.push(uid);
  }
  addLocations(tx, folder, located);
  return unknown;
}

function saveFlags(
  tx: Transaction,
  folder: number,
  changes: readonly { uid: number; flags: readonly string[] }[],
): number {
  const rows = changes.map(({ uid, flags }) => {
    const { isSeen, isFlagged } = flagColumns(flags);
    return [uid, formatFlags(flags), isSeen, isFlagged];
  });
  return tx.run(SAVE_FLAGS, JSON.stringify(rows), folder);
}

/** Of two copies in the folder, the flags of the later one count. */
const SAVE_FLAGS = `
  update emails set flags = next.flags, is_seen = next.is_seen, is_flagged = next.is_flagged from (
    select l.message, max(wanted.key), wanted.value ->> 1 as flags, wanted.value ->> 2 as is_seen,
      wanted.value ->> 3 as is_flagged
    from json_each(?) as wanted cross join email_locations as l on l.folder = ? and l.uid = wanted.value ->> 0
    group by l.message
  ) as next
  where emails.message = next.message and emails.flags <> next.flags`;
