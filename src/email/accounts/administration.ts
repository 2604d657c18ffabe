import type { CapabilityParts, Services } from '../../capability.ts';
import type { MailConnector, MailDiscovery, MailOAuth } from '../../connectors/mail-connector.ts';
import { once, opensLate } from '../../lib/once.ts';
import type { AccountRepository, EmailStores } from '../ports.ts';
import type { Accounts } from './account.ts';
import type { AccountDialogs } from './account-dialogs.ts';
import type { MailAccess } from './mail-access.ts';

/** What the operations that add, change and remove accounts are called with. */
export interface AccountAdministration {
  accountDialogs: AccountDialogs;
  /** Loads nothing if there were none. */
  stopDialogs(): Promise<void>;
  accountRepository: AccountRepository;
  connections: {
    sign(account: string, direction: 'on' | 'off'): Promise<void>;
    state(account: string): Promise<{ isConnected: boolean; problem?: string | undefined }>;
  };
  /** The list of accounts has changed. */
  accountsChanged(): Promise<void>;
  /** Returns how many were deleted. */
  removeMessages(account: string, progress: (done: number, total: number) => void): Promise<number>;
}

interface AdministrationParts {
  mail(): Promise<MailConnector>;
  oauth(): Promise<MailOAuth>;
  discovery(): Promise<MailDiscovery>;
  accounts: Accounts;
  access: MailAccess;
  chat: Pick<Services['chat'], 'sources'>;
  needs: Pick<CapabilityParts<EmailStores, object>, 'store' | 'secrets' | 'clock' | 'log'>;
}

export function accountAdministration(parts: AdministrationParts): AccountAdministration {
  const { mail, oauth, discovery, accounts, access, chat, needs } = parts;
  const { store, clock } = needs;
  const accountRepository = opensLate<AccountRepository>(async () => (await store()).accounts);
  const dialogs = once(async () => {
    const [{ createAccountDialogs }, { accountSecrets }] = await Promise.all([
      import('./account-dialogs.ts'),
      import('./secrets.ts'),
    ]);
    opened = createAccountDialogs({
      mail,
      oauth,
      discovery,
      access,
      accounts,
      repository: accountRepository,
      secrets: accountSecrets(needs.secrets),
      isTaken,
      clock,
      log: needs.log.child({ component: 'email' }),
    });
    return opened;
  });
  let opened: AccountDialogs | undefined;

  async function isTaken(id: string): Promise<boolean> {
    return (await accounts.list()).some((account) => account.id === id) || (await chat.sources.find(id)) !== undefined;
  }

  return {
    accountDialogs: opensLate<AccountDialogs>(dialogs),
    stopDialogs: async () => opened?.stop(),
    accountRepository,
    connections: {
      sign: chat.sources.sign,
      async state(account) {
        const { isConnected = false, problem } = (await chat.sources.find(account)) ?? {};
        return { isConnected, problem };
      },
    },
    accountsChanged: chat.sources.changed,
    removeMessages: chat.sources.remove,
  };
}
