import type { EmailStores } from '../../../email/ports.ts';
import type { SqliteParts } from '../../definition.ts';
import { createAccountRepository } from './accounts.ts';

export function open({ db }: SqliteParts): EmailStores {
  return { accounts: createAccountRepository(db) };
}
