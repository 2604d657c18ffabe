import type { MailConnector, MailCredentials, MailServer } from '../../connectors/mail-connector.ts';
import type { MailAddress, MailHeaders } from '../../domain/email.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Account } from '../accounts/account.ts';
import type { LiveSessions } from '../mailbox/live-sessions.ts';
import type { MailStore } from '../ports.ts';

/** An account as far as writing and sending need it. */
export interface WritingAccount extends Pick<Account, 'id' | 'name' | 'configuredIn'> {
  from: MailAddress;
  /** Its address and aliases; `*@example.org` is every address of a domain. */
  own: readonly string[];
  /** Missing where the account cannot send. */
  sending?: {
    /** Throws MailError: `rejected` if a person has to do something first. */
    open(): Promise<{ server: MailServer; credentials: MailCredentials }>;
    /** The server refused these credentials: a token is not used again. */
    refused(credentials: MailCredentials): Promise<void>;
    /** The server puts a copy of what it sends into the folder of sent mail. */
    savesCopies: boolean;
  };
}

export interface WritingAccounts {
  /** By a reference of a caller; the only account where it is missing. Throws ACCOUNT_NOT_FOUND or ACCOUNT_AMBIGUOUS. */
  resolve(wanted?: string): Promise<WritingAccount>;
  byId(id: string): Promise<WritingAccount | undefined>;
}

/** What writing and sending emails depend on. */
export interface WritingParts {
  writingAccounts: WritingAccounts;
  mail: MailStore;
  sessions: Pick<LiveSessions, 'of'>;
  /** IMAP and SMTP, loaded when they are first needed. */
  connector(): Promise<MailConnector>;
  clock: Clock;
  log: Log;
  randomHex(digits: number): string;
}

/** A stored message that is an email, as the caller may read it. */
export interface MailMessage {
  id: string;
  source: string;
  chat: { id: string };
  text: string;
  at: number;
  mail?: MailHeaders;
}

export interface MessageReader {
  byId(id: string): Promise<MailMessage | undefined>;
}
