import type { MailAddress } from '../../domain/email.ts';
import type { Account } from './account.ts';

type Addressed = Pick<Account, 'email' | 'settings'>;

/** What the header `From` of the account says. */
export function fromAddress({ email, settings }: Addressed): MailAddress {
  return { name: settings.from_name ?? '', address: email.toLowerCase() };
}

/** Whether an address is the account's own or one of its aliases. */
export function isOwnAddress({ email, settings: { aliases } }: Addressed, address: string): boolean {
  const wanted = address.trim().toLowerCase();
  const domain = wanted.slice(wanted.lastIndexOf('@'));
  return [email, ...aliases].some((own) => {
    const known = own.toLowerCase();
    return known === wanted || (known.startsWith('*@') && known.slice(1) === domain);
  });
}
