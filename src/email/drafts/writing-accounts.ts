import { MailError } from '../../connectors/mail-connector.ts';
import { type Account, type Accounts, presetOf } from '../accounts/account.ts';
import { fromAddress, ownAddresses } from '../accounts/addresses.ts';
import type { MailAccess } from '../accounts/mail-access.ts';
import type { WritingAccount, WritingAccounts } from './parts.ts';

export function createWritingAccounts(
  accounts: Pick<Accounts, 'list' | 'resolve'>,
  access: Pick<MailAccess, 'servers' | 'credentials' | 'refused'>,
): WritingAccounts {
  return {
    resolve: async (wanted) => toWriting(await accounts.resolve(wanted), access),
    async byId(id) {
      const account = (await accounts.list()).find((each) => each.id === id);
      return account && toWriting(account, access);
    },
  };
}

function toWriting(account: Account, access: Pick<MailAccess, 'servers' | 'credentials' | 'refused'>): WritingAccount {
  const { id, name, configuredIn, smtp } = account;
  return {
    id,
    name,
    configuredIn,
    from: fromAddress(account),
    own: ownAddresses(account),
    ...(smtp && {
      sending: {
        async open() {
          const [{ smtp: server }, credentials] = await Promise.all([
            access.servers(account),
            access.credentials(account),
          ]);
          if (!server) throw new MailError('rejected', `The account '${id}' has no server for sending.`);
          return { server, credentials };
        },
        refused: (credentials) => access.refused(account, credentials),
        savesCopies: presetOf(account)?.savesSent ?? false,
      },
    }),
  };
}
