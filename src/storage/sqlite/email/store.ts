import type { EmailStores } from '../../../email/ports.ts';
import type { SqliteParts } from '../../definition.ts';
import { createAccountRepository } from './accounts.ts';
import { createMailStore } from './mail-store.ts';

export function open({ db, clock }: SqliteParts): EmailStores {
  return { accounts: createAccountRepository(db), mail: createMailStore(db, clock) };
}
