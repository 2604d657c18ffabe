import type { MailAddress } from '../../domain/email.ts';
import { normalizedAddress } from '../compose/address.ts';
import type { Account } from './account.ts';

type Addressed = Pick<Account, 'email' | 'settings'>;

/** What the header `From` of the account says. */
export function fromAddress({ email, settings }: Addressed): MailAddress {
  return { name: settings.from_name ?? '', address: normalizedAddress(email) ?? email.toLowerCase() };
}

/** The account's own address and its aliases, as `isOwnAddress` takes them: international domains in both forms. */
export function ownAddresses({ email, settings: { aliases } }: Addressed): readonly string[] {
  return [email, ...aliases].flatMap((each) => {
    const ascii = normalizedAddress(each);
    return ascii === undefined || ascii === each.toLowerCase() ? [each] : [each, ascii];
  });
}
