import type { CapabilityParts, OpenCapability } from '../capability.ts';
import type { MailConnector, MailDiscovery, MailOAuth } from '../connectors/mail-connector.ts';
import { sendPolicy } from '../domain/policy.ts';
import { allows } from '../domain/principal.ts';
import { randomHex } from '../lib/chance.ts';
import { createListeners } from '../lib/listeners.ts';
import { once, opensLate } from '../lib/once.ts';
import type { Account, Accounts } from './accounts/account.ts';
import { accountAdministration } from './accounts/administration.ts';
import type { MailAccess } from './accounts/mail-access.ts';
import type { WritingAccounts } from './drafts/parts.ts';
import { emailSender } from './drafts/sender.ts';
import { emailGuide } from './guide.ts';
import { type EmailParts, emailOffer } from './offer.ts';
import type { EmailStores, MailStore } from './ports.ts';
import type { EmailSettings } from './settings.ts';

/** Dependencies that email may not import. */
export interface EmailOptions {
  /** IMAP and SMTP, loaded when an account is first used. */
  mail(): Promise<MailConnector>;
  oauth(): Promise<MailOAuth>;
  discovery(): Promise<MailDiscovery>;
  /** What the thread of a first synchronization runs. */
  syncWorker: URL;
}

/** So long operations wait for a connection that was lost. */
const LOST_MS = 3_000;

/** Email at run time: its accounts, opened at first use, and its background work. */
export function openEmail(options: EmailOptions, needs: CapabilityParts<EmailStores, EmailSettings>): OpenCapability {
  const { home, settings, store, secrets, clock, log, storeAddress } = needs;
  const chat = needs.service('chat');
  const outbox = needs.service('outbox');
  /** Ids of accounts that are or were configured: what is stored of them takes the right to read email. */
  const ids = new Set<string>();
  const changes = createListeners();
  let known: readonly Account[] = [];
  let isStarted = false;
  const accounts = once(async () => {
    const [{ createAccounts }, stores] = await Promise.all([import('./accounts/account.ts'), store()]);
    return createAccounts({ configured: async () => (await settings()).accounts, stored: stores.accounts.list });
  });
  const access = once(async () => {
    const [{ createMailAccess }, { accountSecrets }] = await Promise.all([
      import('./accounts/mail-access.ts'),
      import('./accounts/secrets.ts'),
    ]);
    return createMailAccess({ home, oauth: options.oauth, secrets: accountSecrets(secrets), clock });
  });
  const sessions = once(async () => {
    const { createLiveSessions } = await import('./mailbox/live-sessions.ts');
    return createLiveSessions(async (account) => {
      await chat.sources.started();
      const { state, problem, staleSince = 0 } = (await chat.sources.find(account)) ?? {};
      // Sources are started shortly after the program.
      const isStarting = isStarted && state === 'stopped' && problem === undefined;
      // The first attempt after a lost connection usually succeeds.
      const isLost = state === 'waiting' && clock.now() - staleSince < LOST_MS;
      return { isConnecting: state === 'connecting' || state === 'connected' || isStarting || isLost, problem };
    });
  });

  function note(list: readonly Account[]): void {
    for (const { id } of list) ids.add(id);
    const hasChanged = JSON.stringify(list.map(asKnown)) !== JSON.stringify(known.map(asKnown));
    known = list;
    if (hasChanged) changes.notify();
  }

  async function definitions() {
    const [{ accountSource }, list, live] = await Promise.all([
      import('./sync/account-sources.ts'),
      accounts().then((all) => all.list()),
      sessions(),
    ]);
    note(list);
    const sourceParts = {
      mail: async () => (await store()).mail,
      connector: options.mail,
      access: parts.access,
      sessions: live,
      storeAddress,
      syncWorker: options.syncWorker,
    };
    return list.map((account) => accountSource(account, sourceParts));
  }

  chat.sources.provide({
    owns: (id) => ids.has(id),
    mayRead: (principal) => allows(principal, 'email:read'),
    definitions,
  });

  const reachable = { accounts: opensLate<Accounts>(accounts), access: opensLate<MailAccess>(access) };
  const parts: EmailParts = {
    ...reachable,
    wholeAccounts: reachable.accounts,
    ...accountAdministration({ ...options, ...reachable, chat, needs }),
    sessions: opensLate<EmailParts['sessions']>(sessions),
    writingAccounts: opensLate<WritingAccounts>(async () => {
      const { createWritingAccounts } = await import('./drafts/writing-accounts.ts');
      return createWritingAccounts(parts.accounts, parts.access);
    }),
    mail: opensLate<MailStore>(async () => (await store()).mail),
    allMessages: chat.messages,
    connector: options.mail,
    outbox,
    home,
    clock,
    log,
    randomHex,
  };
  outbox.register(
    emailSender(parts, {
      async policyOf(id) {
        const policy = (await parts.accounts.list()).find((account) => account.id === id)?.settings.policy;
        return policy && { whose: `The policy of account '${id}'`, policy: sendPolicy(policy) };
      },
      mayRead: (principal, id) => !ids.has(id) || allows(principal, 'email:read'),
    }),
  );
  return {
    ...emailOffer(parts, chat),
    guide: emailGuide({
      ready: async () => note(await (await accounts()).list()),
      known: () => known,
      onChange: changes.add,
    }),
    async start() {
      isStarted = true;
      note(await (await accounts()).list());
      for (const id of await (await store()).mail.accounts()) ids.add(id);
    },
    stop: parts.stopDialogs,
    reconfigured: () => chat.sources.changed(),
  };
}

function asKnown({ id, email }: Account): readonly string[] {
  return [id, email];
}
