import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FetchedMail, MailSession } from '../../../src/connectors/mail-connector.ts';
import { MailError } from '../../../src/connectors/mail-connector.ts';
import type { FolderRole } from '../../../src/domain/email.ts';
import { createLiveSessions } from '../../../src/email/mailbox/live-sessions.ts';
import { toStore } from '../../../src/email/rules/identity.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { contextWith, silentLog } from '../operation-context.ts';
import { openStore } from '../store/open-store.ts';
import { accountsOf } from './account-samples.ts';
import { fetchedMail } from './mail-samples.ts';

const FOLDERS: readonly [path: string, role?: FolderRole][] = [
  ['INBOX', 'inbox'],
  ['Projects'],
  ['Trash', 'trash'],
  ['Archive', 'archive'],
  ['Sent', 'sent'],
  ['All Mail', 'all'],
];
const UID_VALIDITY = '7';

/** A stored account with emails, and a server in memory that operations change. `more` are further folders. */
export async function openMailbox(more: readonly string[] = []) {
  const home = mkdtempSync(join(tmpdir(), 'mailbox-'));
  const store = await openStore({ url: 'sqlite::memory:', home, clock: systemClock, log: silentLog });
  const { mail } = store.email;
  const paths = [...FOLDERS.map(([path]) => path), ...more];
  const server = new Map<string, Map<number, readonly string[]>>(paths.map((path) => [path, new Map()]));
  const calls: string[] = [];
  const remote = () =>
    [...server.keys()].map((path) => {
      const role = FOLDERS.find(([known]) => known === path)?.[1] ?? (path === 'Trash' ? 'trash' : undefined);
      return { path, names: [path], isSelectable: true, ...(role ? { role } : {}) };
    });
  const at = (path: string) => server.get(path) ?? new Map<number, readonly string[]>();

  const session = {
    folders: async () => remote(),
    async createFolder(path: string) {
      calls.push(`create ${path}`);
      server.set(path, new Map());
    },
    status: async (path: string) => ({ uidValidity: UID_VALIDITY, uidNext: 1_000, messages: at(path).size }),
    uids: async (path: string) => [...at(path).keys()],
    async setFlags(
      path: string,
      uids: readonly number[],
      { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
    ) {
      calls.push(`flags ${path} ${uids.join(',')} +${add.join('')} -${remove.join('')}`);
      for (const uid of uids)
        at(path).set(uid, [...(at(path).get(uid) ?? []).filter((flag) => !remove.includes(flag)), ...add]);
    },
    async move(path: string, uids: readonly number[], target: string) {
      calls.push(`move ${path} ${uids.join(',')} ${target}`);
      const moved = new Map<number, number>();
      for (const uid of uids) {
        let next = uid + 500;
        while (at(target).has(next)) next += 1;
        moved.set(uid, next);
        at(target).set(next, at(path).get(uid) ?? []);
        at(path).delete(uid);
      }
      return moved;
    },
    async expunge(path: string, uids: readonly number[]) {
      calls.push(`expunge ${path} ${uids.join(',')}`);
      for (const uid of uids) at(path).delete(uid);
    },
    async part(_path: string, uid: number, part: string) {
      if (part === '9') throw new MailError('refused', 'The server does not have this part.');
      return { content: Buffer.from(`content ${uid} ${part}`), mime: 'text/plain' };
    },
  } as unknown as MailSession;

  const sessions = createLiveSessions(async () => ({ isConnecting: false, problem: 'Its server cannot be reached.' }));
  const live = {
    session,
    syncNow: async () => ({ added: 1, changed: 2, removed: 3 }),
    syncAll: async () => ({ added: 1, changed: 2, removed: 3 }),
    progress: () => undefined,
  };
  const disconnect = sessions.add('work', live);
  const keys = new Map((await mail.saveFolders('work', remote())).map(({ path, key }) => [path, key]));
  for (const key of keys.values()) await mail.saveProgress(key, { uidValidity: UID_VALIDITY, low: 1, high: 1_000 });

  const accounts = accountsOf({ work: { name: 'Work', email: 'me@example.test' }, home: { email: 'me@home.test' } });
  return {
    home,
    server,
    calls,
    disconnect,
    context: contextWith({
      mail,
      messages: store.messages,
      accounts,
      wholeAccounts: accounts,
      sessions,
      clock: systemClock,
      home,
    }),
    /** Stores an email that is in a folder of the server; returns its id. */
    async receive(uid: number, given: Parameters<typeof fetchedMail>[1] = {}, path = 'INBOX'): Promise<string> {
      const fetched: FetchedMail = fetchedMail(uid, given);
      at(path).set(uid, fetched.flags);
      const role = FOLDERS.find(([known]) => known === path)?.[1];
      const mails = [toStore(fetched, role, ['me@example.test'])];
      const { ids } = await mail.record({ account: 'work', folder: keys.get(path) ?? 0, mails, origin: 'newer' });
      return ids[0] ?? '';
    },
    async close() {
      await store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
