import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { MailError, type MailServer } from '../../connectors/mail-connector.ts';
import type { Account } from './account.ts';

const MAX_CERTIFICATE_BYTES = 1_000_000;

/** The servers of an account, with the certificate it trusts. `folder` is that of the configuration file. */
export async function mailServers(account: Account, folder: string): Promise<{ imap: MailServer; smtp?: MailServer }> {
  const { imap, smtp, settings } = account;
  const trust = settings.ca === undefined ? {} : { ca: await certificate(resolve(folder, settings.ca), account.id) };
  return { imap: { ...imap, ...trust }, ...(smtp ? { smtp: { ...smtp, ...trust } } : {}) };
}

async function certificate(path: string, id: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new MailError('rejected', `The certificate of account ${id} cannot be read: ${path}`, error);
  });
  if (text.length <= MAX_CERTIFICATE_BYTES && text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new MailError(
    'rejected',
    `The file that account ${id} names as \`ca\` is no certificate in PEM format: ${path}`,
  );
}
