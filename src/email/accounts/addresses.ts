import type { MailAddress } from '../../domain/email.ts';
import type { Account } from './account.ts';

type Addressed = Pick<Account, 'email' | 'settings'>;

/** What the header `From` of the account says. */
export function fromAddress({ email, settings }: Addressed): MailAddress {
  return { name: settings.from_name ?? '', address: email.toLowerCase() };
}

/** The account's own address and its aliases, as `isOwnAddress` takes them. */
export function ownAddresses({ email, settings: { aliases } }: Addressed): readonly string[] {
  return [email, ...aliases];
}
