import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { chanceFrom } from '../support/chance.ts';
import { type MailServer, startMailServer } from '../support/email/mail-server.ts';
import { mailText } from '../support/email/mail-session.ts';
import { otherClient } from '../support/email/other-client.ts';
import { type SyncedAccount, type SyncedEmail, startSyncedAccount } from '../support/email/synced-account.ts';

const SEED = Number(process.env.PROPERTY_SEED ?? 1);
const ROUNDS = process.env.SOAK ? 60 : 5;
const CHANGES = 8;
const FLAGS = ['\\Seen', '\\Flagged', 'urgent'];

for (const [name, without] of [
  ['all extensions', []],
  ['no QRESYNC', ['QRESYNC'] as const],
  ['no CONDSTORE', ['CONDSTORE', 'QRESYNC'] as const],
] as const) {
  describe(`a server with ${name}`, () => {
    let server: MailServer;
    before(async () => {
      server = await startMailServer({ users: ['alice'], without });
    });
    after(() => server.stop());

    test(`whatever another client does, the store becomes the same, and emails keep their ids (SEED=${SEED})`, {
      timeout: 120_000 + ROUNDS * 30_000,
    }, async (context) => {
      const chance = chanceFrom(SEED);
      const account = await startSyncedAccount(context, { server });
      const client = await otherClient(context, server);
      const folders = ['INBOX', 'Archive', 'Trash'];
      /** Copies have flags of their own on the server, but not here. */
      const copied = new Set<string>();
      let count = 0;
      let known = new Map<string, string>();

      const pick = <T>(list: readonly T[]): T => list[chance(list.length)] as T;
      const changes: ((email: SyncedEmail, path: string, uid: string) => unknown)[] = [
        () => server.deliver('alice', mailText(`mail ${++count}`), { folder: pick(folders) }),
        () => server.deliver('alice', mailText(`mail ${++count}`), { folder: pick(folders) }),
        ({ subject }, path, uid) => !copied.has(subject) && client.flag(path, Number(uid), pick(FLAGS)),
        ({ subject }, path, uid) => !copied.has(subject) && client.unflag(path, Number(uid), pick(FLAGS)),
        (_, path, uid) => client.move(path, uid, pick(folders)),
        (_, path, uid) => client.move(path, `1:${uid}`, pick(folders)),
        ({ subject }, path, uid) => {
          copied.add(subject);
          return client.copy(path, uid, pick(folders));
        },
        (_, path, uid) => client.remove(path, uid),
        async () => {
          const path = `Folder ${++count}`;
          await client.createFolder(path);
          folders.push(path);
        },
        async () => {
          const path = pick(folders.slice(3));
          if (path) await client.renameFolder(path, replaced(folders, path, `Folder ${++count}`));
        },
        async () => {
          const path = pick(folders.slice(3));
          if (path && chance(3) === 0) await client.removeFolder(folders.splice(folders.indexOf(path), 1)[0] ?? '');
        },
        () => chance(3) === 0 && server.renumber('alice', pick(folders)),
        async () => chance(3) === 0 && server.imap.kick('alice'),
      ];

      for (let round = 0; round < ROUNDS; round += 1) {
        const emails = await account.emails();
        if (emails.length === 0) server.deliver('alice', mailText(`mail ${++count}`));
        for (let index = 0; index < CHANGES; index += 1) {
          const email = pick(emails);
          const [, path = '', uid = ''] = /^(.*) (\d+)$/.exec(pick(email?.places ?? []) ?? '') ?? [];
          // What is gone already is refused.
          if (email) await Promise.resolve(pick(changes)(email, path, uid)).catch(() => {});
        }

        await account.isMirror();
        known = await assertStable(account, known);
      }
    });
  });
}

function replaced(list: string[], old: string, next: string): string {
  list[list.indexOf(old)] = next;
  return next;
}

/** Emails that are still there have the id that they had before. */
async function assertStable(account: SyncedAccount, known: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const now = new Map((await account.emails()).map(({ subject, id }) => [subject, id]));
  for (const [subject, id] of known) if (now.has(subject)) assert.equal(now.get(subject), id, subject);
  return now;
}
