import { chmodSync, existsSync, lchownSync, mkdirSync, mkdtempSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type MailServer, startMailServer } from '../../tests/support/email/mail-server.ts';
import type { EmailCorpus } from './email-corpus.ts';
import { type Owner, writeMaildir } from './email-maildir.ts';
import { removeFolder } from './email-peers.ts';
import { type ImapAddress, type ImapClient, openImapClient } from './imap-client.ts';

/** A file system in memory, where there is one: no contender waits for a disk. */
export const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const USER = 'alice';
const PROGRAMS = ['/usr/sbin/dovecot', '/usr/lib/dovecot/imap', '/usr/lib/dovecot/lmtp', '/usr/sbin/exim4'];
const NEEDED = 'Dovecot 2.3 and Exim (Debian packages dovecot-imapd, dovecot-lmtpd and exim4-daemon-light)';

/** Dovecot with the mail of the corpus, and another mail program that is signed in. */
export interface EmailServer {
  readonly imap: ImapAddress;
  readonly other: ImapClient;
  /** Bytes of all emails. */
  readonly size: number;
  stop(): Promise<void>;
}

export async function startEmailServer(corpus: EmailCorpus, emails: number): Promise<EmailServer> {
  const missing = PROGRAMS.filter((path) => !existsSync(path));
  if (missing.length > 0) throw new Error(`${missing.join(', ')} missing: this benchmark needs ${NEEDED}.`);
  const server = await startMailServer({ users: [USER], tls: 'none' });
  const folder = mkdtempSync(join(MEMORY, 'switchboard-bench-mail-'));
  process.once('exit', () => removeFolder(folder));
  const { address, password } = server.user(USER);
  const imap = { host: server.host, port: server.ports.imap, user: address, password };
  const size = fill(server, folder, corpus, emails);
  const other = await openImapClient(imap);
  // The server's own first look at the files is not a matter of the clients.
  await other.command('UID FETCH 1:* (FLAGS INTERNALDATE RFC822.SIZE)');
  return {
    ...{ imap, other, size },
    async stop() {
      other.close();
      await server.stop();
      removeFolder(folder);
    },
  };
}

/** The Maildir is a link to memory. */
function fill(server: MailServer, folder: string, corpus: EmailCorpus, emails: number): number {
  const link = server.maildirOf(USER);
  const home = dirname(link);
  mkdirSync(home, { recursive: true });
  symlinkSync(folder, link);
  const owner = ownerOf(dirname(home));
  chmodSync(folder, 0o700);
  if (owner) for (const path of [home, link]) lchownSync(path, owner.uid, owner.gid);
  return writeMaildir(folder, corpus, { from: 0, count: emails, owner });
}

/** As root, the mail belongs to the user that the server runs as. */
function ownerOf(path: string): Owner | undefined {
  const { uid, gid } = statSync(path);
  return process.getuid?.() === 0 ? { uid, gid } : undefined;
}
