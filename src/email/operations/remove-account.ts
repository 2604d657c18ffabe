import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { Account, Accounts } from '../accounts/account.ts';
import type { AccountAdministration } from '../accounts/administration.ts';
import type { MailAccess } from '../accounts/mail-access.ts';
import { resolveAccount } from '../accounts/resolve-account.ts';
import type { MailStore } from '../ports.ts';

interface RemoveContext extends OperationContext, AccountAdministration {
  accounts: Accounts;
  access: Pick<MailAccess, 'forget'>;
  mail: Pick<MailStore, 'accounts' | 'removeAccount'>;
}

export const removeAccount = operation({
  cli: { path: 'email remove', positionals: ['account'], examples: ['switchboard email remove work'] },
  rest: { method: 'DELETE', path: '/accounts/:account' },
  kind: 'command',
  effect: 'destroys',
  right: 'manage',
  confined: false,
  ownerOnly: true,
  // For accounts with millions of emails.
  deadlineMs: 60 * 60_000,
  description: 'Removes an account with its stored mail and secrets. Nothing is deleted on its server.',
  input: z.strictObject({ account: z.string().min(1).max(200).describe('Id, name or address of the account.') }),
  output: z.object({ account: z.string(), removed_messages: z.int() }),
  async run({ account: wanted }, context: RemoveContext) {
    const { accountRepository, access, mail, accountsChanged, removeMessages, progress } = context;
    const id = await removable(wanted, context);
    // Disconnected first, so that no new email is stored while the others are deleted.
    await accountRepository.remove(id);
    await accountsChanged();
    await access.forget(id);
    const removed = await removeMessages(id, (done, total) => progress(done, total, 'emails'));
    await mail.removeAccount(id);
    return { account: id, removed_messages: removed };
  },
  render: ({ account, removed_messages: removed }) => `Removed ${account} with ${removed} emails.`,
});

/** The store may still hold mail of an account that is no longer configured. */
async function removable(wanted: string, { accounts, mail }: RemoveContext): Promise<string> {
  const list = await accounts.list();
  const isLeft = !list.some(({ id }) => id === wanted) && (await mail.accounts()).includes(wanted);
  if (isLeft) return wanted;
  const found: Account = resolveAccount(list, wanted);
  if (found.configuredIn === 'store') return found.id;
  throw new AppError('CONFLICT', 'This account is in config.yaml, so it would be added again immediately.', {
    field: 'account',
    hint: 'Remove it from the file first, then remove it here to delete its mail.',
  });
}
