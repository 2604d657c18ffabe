import { createHash } from 'node:crypto';
import type { Services, StoreAddress } from '../../capability.ts';
import type { Connection, Host } from '../../connectors/connector.ts';
import {
  type MailConnector,
  type MailCredentials,
  MailError,
  type MailSession,
} from '../../connectors/mail-connector.ts';
import { ACCOUNT_KIND, type Account } from '../accounts/account.ts';
import { ownAddresses } from '../accounts/addresses.ts';
import type { MailAccess } from '../accounts/mail-access.ts';
import type { LiveSessions } from '../mailbox/live-sessions.ts';
import type { MailStore } from '../ports.ts';
import type { AccountSettings } from '../settings.ts';
import { type BulkHow, createAccountConnection } from './account-connection.ts';
import { type BulkRequest, type BulkResult, runBulkJob } from './bulk-job.ts';
import { runInThreads } from './bulk-runner.ts';
import { createFetchLosses, type FetchLosses } from './fetch-losses.ts';
import { prepareFolders } from './prepare-folders.ts';

type SourceProvider = Parameters<Services['chat']['sources']['provide']>[0];
export type SourceDefinition = Awaited<ReturnType<SourceProvider['definitions']>>[number];

export interface AccountSourceParts {
  mail(): Promise<MailStore>;
  connector(): Promise<MailConnector>;
  access: MailAccess;
  sessions: LiveSessions;
  storeAddress(): Promise<StoreAddress>;
  /** What the storing thread of a bulk job runs. */
  syncWorker: URL;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** An account as a source of chat: its conversations are chats. */
export function accountSource(account: Account, parts: AccountSourceParts): SourceDefinition {
  const losses = createFetchLosses();
  const { id, name, settings, configuredIn } = account;
  return {
    id,
    kind: ACCOUNT_KIND,
    name,
    configuredIn,
    canStream: true,
    canSend: false,
    howToSend: 'Emails are sent with send_email and reply_to_email.',
    howToRemove: `Remove the account: switchboard email remove ${id}`,
    howToConnect: howToConnect(account),
    signOnCommand: `switchboard email login ${id}`,
    ...(settings.keep_days === undefined ? {} : { keepDays: settings.keep_days }),
    // The connection does not depend on the policy and on names.
    fingerprint: fingerprintOf({ ...settings, policy: undefined, name: undefined }),
    open: (host) => openAccount(account, host, parts, losses),
  };
}

function howToConnect({ id, configuredIn }: Account): string {
  const settings = configuredIn === 'file' ? `check accounts.${id} in config.yaml, or ` : '';
  return `It connects by itself while Switchboard runs. If it does not, ${settings}sign in again: switchboard email login ${id}`;
}

async function openAccount(
  account: Account,
  host: Host,
  parts: AccountSourceParts,
  losses: FetchLosses,
): Promise<Connection> {
  const { id, settings } = account;
  const [mail, connector] = await Promise.all([parts.mail(), parts.connector()]);
  const days = historyDays(settings);
  return createAccountConnection(
    {
      account: id,
      mail,
      ownAddresses: ownAddresses(account),
      pollMs: settings.poll_ms,
      ...(days === undefined ? {} : { since: host.clock.now() - days * DAY_MS }),
      losses,
      connect: (signal) => connect(account, { ...parts, connector, log: host.log }, signal),
      prepare: async () => {
        const mailbox = mailboxOf(account, await parts.access.credentials(account));
        await prepareFolders({ account: id, mail, memory: host.memory, mailbox, ...optional(days) });
      },
      fetchMany: (request, how) => fetchMany(account, { ...parts, mail }, request, how),
      onSession: (session) => parts.sessions.add(id, session),
    },
    host,
  );
}

async function fetchMany(
  account: Account,
  { access, storeAddress, syncWorker, mail }: Omit<AccountSourceParts, 'mail'> & { mail: MailStore },
  request: BulkRequest,
  how: BulkHow,
): Promise<BulkResult> {
  const address = await storeAddress();
  const inThisThread = () => runBulkJob(request, { ...how, mail, source: how.session });
  // A store in memory can be written to by this thread only.
  if (address.url !== 'sqlite') return inThisThread();
  const [{ imap: server }, credentials] = await Promise.all([access.servers(account), access.credentials(account)]);
  const result = await runInThreads(syncWorker, { ...address, server, credentials, request }, how);
  if (!result) return inThisThread();
  // Nobody waits for it, and it may be interrupted: the next emails go on with it.
  mail.mergeIndex().catch(() => {});
  return result;
}

/** How far back older mail is fetched; undefined for all of it. */
function historyDays({ history_days: history, keep_days: keep }: AccountSettings): number | undefined {
  if (history === undefined || keep === undefined) return history ?? keep;
  return Math.min(history, keep);
}

/** Tells one mailbox from another without revealing it. */
function mailboxOf({ imap: { host } }: Account, { user }: MailCredentials): string {
  return fingerprintOf([host.toLowerCase(), user]);
}

function optional(days: number | undefined) {
  return days === undefined ? {} : { days };
}

/** A token that the server refuses although it has not expired is not used again. */
async function connect(
  account: Account,
  { access, connector, log }: Pick<AccountSourceParts, 'access'> & { connector: MailConnector; log: Host['log'] },
  signal: AbortSignal,
): Promise<MailSession> {
  const [{ imap }, credentials] = await Promise.all([access.servers(account), access.credentials(account)]);
  try {
    return await connector.connect(imap, credentials, { signal, log });
  } catch (error) {
    if (error instanceof MailError && error.kind === 'rejected') await access.refused(account, credentials);
    throw error;
  }
}

/** Only a hash is stored, because the settings may contain a password. */
function fingerprintOf(settings: unknown): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}
