import type { Host } from '../connector.ts';
import type { Account } from './account.ts';
import { revisionIn, toInbound } from './convert.ts';
import type { Daemon } from './daemon.ts';
import type { KnownDirectory } from './directory.ts';
import { type Received, readContacts, readGroups, readMessage, readNotification } from './schema.ts';

/** State while signal-cli is connected. */
export interface Link {
  daemon: Daemon;
  account: Account;
  directory: KnownDirectory;
  host: Host;
}

/** Key of our own UUID. */
export const OWN_UUID = 'uuid';
const REFRESHED = new Set(['CONTACTS_SYNC', 'GROUPS_SYNC']);

/** Names of people and groups; the groups are stored. */
export async function learnNames({ daemon, account, directory, host }: Link): Promise<void> {
  const ask = (method: string, more = {}) => daemon.call(method, { ...account.parameters, ...more });
  const [contacts, groups] = await Promise.all([ask('listContacts', { allRecipients: true }), ask('listGroups')]);
  directory.learnContacts(readContacts(contacts));
  const news = directory.learnGroups(readGroups(groups));
  if (news.length > 0) await host.accept(news);
}

/** Passes received messages on, in their order. */
export function createReceiver(link: Link) {
  const { account, directory, host } = link;
  let isRefreshing = false;
  let isStale = false;

  /** Not waited for: messages are stored with the names that are known. */
  async function refresh(): Promise<void> {
    isStale = true;
    if (isRefreshing) return;
    isRefreshing = true;
    try {
      while (isStale) {
        isStale = false;
        await learnNames(link);
      }
    } catch (err) {
      host.log.warn({ err }, 'the names of contacts and groups could not be read');
    } finally {
      isRefreshing = false;
    }
  }

  function learnSelf({ envelope }: Received): void {
    const { sourceUuid: uuid, syncMessage } = envelope;
    if (!syncMessage || uuid === undefined || directory.self.uuid !== undefined) return;
    directory.self.uuid = uuid;
    void host.memory.set(OWN_UUID, uuid).catch(() => {});
  }

  function changesGroup({ envelope: { dataMessage, syncMessage } }: Received): boolean {
    if (syncMessage?.type !== undefined && REFRESHED.has(syncMessage.type)) return true;
    const group = readMessage(dataMessage ?? syncMessage?.sentMessage)?.groupInfo;
    return group?.groupId !== undefined && (group.type === 'UPDATE' || !directory.hasGroup(group.groupId));
  }

  /** One message that we fail to convert must not stop all others. */
  function convert(received: Received) {
    try {
      return toInbound(received, directory);
    } catch (err) {
      host.log.error({ err }, 'a received message could not be converted');
      return [];
    }
  }

  return (params: unknown, stored: () => void): void => {
    const received = readNotification(params);
    const isOurs =
      received?.account === undefined || received.account === account.number || !account.parameters.account;
    if (!received || !isOurs) return stored();
    learnSelf(received);
    const events = convert(received);
    const revision = revisionIn(received, directory);
    if (revision) void directory.addRevision(revision).catch(() => {});
    if (changesGroup(received)) void refresh();
    if (events.length === 0) return stored();
    void host.accept(events).then(stored, () => {});
  };
}
