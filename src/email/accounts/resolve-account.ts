import { AppError } from '../../domain/errors.ts';
import { quotedName } from '../../lib/shown-name.ts';
import type { Account } from './account.ts';

type Named = Pick<Account, 'id' | 'name' | 'email'>;

/** What kind of source every account is. */
export const ACCOUNT_KIND = 'email';
const HOW_TO_ADD = 'Add one with `switchboard email add`, or to `accounts` in config.yaml.';

/**
 * The account that a caller means: by its id, else by its whole name or address, else by a part of either that only one has,
 * regardless of case. Without a reference, the only account there is. `field` is that of the reference, for errors.
 */
export function resolveAccount<One extends Named>(accounts: readonly One[], wanted?: string, field = 'account'): One {
  if (wanted === undefined || wanted.trim() === '') return onlyAccount(accounts);
  const found = matches(accounts, wanted.trim().toLowerCase());
  const [first, ...others] = found;
  if (!first) throw notFound(accounts, wanted, field);
  if (others.length > 0) {
    throw new AppError('ACCOUNT_AMBIGUOUS', `Account ${quotedName(wanted)} fits several: ${listed(found)}.`, {
      field,
      hint: 'Name one by its id.',
    });
  }
  return first;
}

function matches<One extends Named>(accounts: readonly One[], wanted: string): readonly One[] {
  const steps: ((account: Named) => boolean)[] = [
    ({ id }) => id === wanted,
    ({ name, email }) => name.toLowerCase() === wanted || email.toLowerCase() === wanted,
    ({ name, email }) => name.toLowerCase().includes(wanted) || email.toLowerCase().includes(wanted),
  ];
  for (const step of steps) {
    const found = accounts.filter(step);
    if (found.length > 0) return found;
  }
  return [];
}

function onlyAccount<One extends Named>(accounts: readonly One[]): One {
  const [first, ...others] = accounts;
  if (!first) {
    throw new AppError('ACCOUNT_NOT_FOUND', 'No email account is configured.', { field: 'account', hint: HOW_TO_ADD });
  }
  if (others.length > 0) {
    throw new AppError('ACCOUNT_AMBIGUOUS', `There are several accounts: ${listed(accounts)}.`, {
      field: 'account',
      hint: 'Name one in `account`, by its id, name or address.',
    });
  }
  return first;
}

function notFound(accounts: readonly Named[], wanted: string, field: string): AppError {
  const there = accounts.length === 0 ? 'No email account is configured.' : `There are: ${listed(accounts)}.`;
  return new AppError('ACCOUNT_NOT_FOUND', `Account ${quotedName(wanted)} not found. ${there}`, {
    field,
    hint: accounts.length === 0 ? HOW_TO_ADD : 'Name one by its id, name or address.',
  });
}

function listed(accounts: readonly Named[]): string {
  return accounts
    .map(({ id, name, email }) => `${id} (${name === id ? '' : `${quotedName(name)}, `}${email})`)
    .join(', ');
}
