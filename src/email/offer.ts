import type { OpenCapability } from '../capability.ts';
import type { Accounts } from './accounts/account.ts';
import { listAccounts } from './operations/list-accounts.ts';

/** What the operations of email are called with. */
export interface EmailParts {
  accounts: Accounts;
}

/** The operations, resources and prompts of email. */
export function emailOffer(parts: EmailParts) {
  return { operations: [listAccounts], parts } satisfies OpenCapability;
}
