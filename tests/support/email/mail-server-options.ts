/** Extensions of IMAP that Dovecot can be told not to offer. */
export type ImapExtension =
  | 'CONDSTORE'
  | 'ENABLE'
  | 'ESEARCH'
  | 'IDLE'
  | 'LIST-EXTENDED'
  | 'LIST-STATUS'
  | 'LITERAL+'
  | 'MOVE'
  | 'NAMESPACE'
  | 'QRESYNC'
  | 'SASL-IR'
  | 'SPECIAL-USE'
  | 'UIDPLUS';

export interface MailServerOptions {
  /** Their addresses are `<name>@example.test`, their passwords `pw-<name>`. */
  users?: readonly string[];
  /** Folders that every user has besides INBOX. By default the usual five with their special use. */
  folders?: readonly { name: string; specialUse?: string }[];
  /** Between the parts of a folder's path. */
  separator?: '/' | '.';
  /** What the paths of all folders but INBOX begin with. */
  prefix?: string;
  /** Extensions that the IMAP server does not offer. */
  without?: readonly ImapExtension[];
  /** `starttls`: nothing but STARTTLS, and no sign-in before it. `none`: no TLS at all. */
  tls?: 'both' | 'starttls' | 'none';
  certificate?: 'valid' | 'expired' | 'wrong-name';
  /** XOAUTH2 and OAUTHBEARER are offered; tokens are checked there by POST (RFC 7662: `active` and `username`). */
  oauth?: { introspectionUrl: string; mechanisms?: readonly ('xoauth2' | 'oauthbearer')[] };
  /** How many IMAP sessions a user may have. */
  maxSessions?: number;
}

/** Where everything of one server is, and as whom it runs. */
export interface MailServerPlan {
  folder: string;
  host: string;
  uid: number;
  gid: number;
  ports: { imap: number; imaps: number; smtp: number; smtps: number };
  options: MailServerOptions;
}

export const MAIL_DOMAIN = 'example.test';
