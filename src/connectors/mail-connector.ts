import type { FolderRole, MailAddress, ParsedEmail } from '../domain/email.ts';

/** How mail is read and sent: the contract between the email capability and `connectors/imap`. */
export interface MailConnector {
  /** Signs in to the server for reading. Throws MailError. */
  connect(server: MailServer, credentials: MailCredentials, options: SessionOptions): Promise<MailSession>;
  /** Sends one email; never throws. */
  send(server: MailServer, credentials: MailCredentials, outgoing: OutgoingMail): Promise<MailSendOutcome>;
  /** Signs in to the server for sending, without sending anything. Throws MailError. */
  checkSending(server: MailServer, credentials: MailCredentials, signal: AbortSignal): Promise<void>;
  /** Builds an email in the format of RFC 5322. */
  build(draft: DraftContent): Promise<Uint8Array>;
  /**
   * With a text of up to `maxText` characters. With `countsAllRecipients`, for what is to be sent, every entry of To, Cc and Bcc is
   * there, also one without an address.
   */
  parse(bytes: Uint8Array, options?: { maxText?: number; countsAllRecipients?: boolean }): ParsedEmail;
  /** The same as of a fetched email. */
  contentHash(bytes: Uint8Array): string;
}

export interface MailServer {
  host: string;
  port: number;
  /** `true`: TLS from the beginning. `starttls`: TLS is required after the greeting. */
  tls: boolean | 'starttls';
  /** Certificates to trust besides the usual ones, in PEM format. */
  ca?: string;
}

export type MailCredentials = { user: string; password: string } | { user: string; accessToken: string };

export interface SessionOptions {
  signal: AbortSignal;
  /** Something changed in the folder that `watch` waits in, or the server says goodbye. */
  log: { debug(fields: object, text: string): void };
}

/**
 * The reason is our own text, the server's is in `cause`. `rejected`: a retry cannot succeed before a setting changes (wrong
 * password, untrusted certificate). `lost`: the connection broke or could not be made. `refused`: the server refused this one
 * command; the session goes on.
 */
export class MailError extends Error {
  override readonly name = 'MailError';
  readonly kind: 'rejected' | 'lost' | 'refused';

  constructor(kind: MailError['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** A folder of the server. */
export interface RemoteFolder {
  /** The path that commands take, decoded from modified UTF-7. */
  path: string;
  /** The parts of the path. */
  names: readonly string[];
  role?: FolderRole;
  /** Whether it can hold mail: some are only parents of others. */
  isSelectable: boolean;
  /** As it was when the folders were listed. */
  status?: FolderStatus;
}

/** The state of a folder on the server. UIDs of another `uidValidity` mean other emails. */
export interface FolderStatus {
  uidValidity: string;
  /** The UID that the next email will get, at least. */
  uidNext: number;
  /** Number of emails. */
  messages: number;
  /** Grows with every change; missing where the server does not support CONDSTORE. */
  highestModseq?: string;
}

/** What the server tells of an email besides its content. */
export interface MailFacts {
  uid: number;
  /** System flags with their backslash, `\\Seen`, and keywords. */
  flags: readonly string[];
  /** When the server received it, in milliseconds. */
  receivedAt: number;
  size: number;
  /** The server's own id of the email, the same in all folders (OBJECTID, Gmail). */
  emailId?: string;
  /** The server's own id of the conversation. */
  threadId?: string;
}

export interface FetchedMail extends MailFacts {
  email: ParsedEmail;
  /** Of all below the headers, files included; the same in each folder, and however much of a large email was fetched. */
  contentHash: string;
}

/** UIDs, both inclusive. */
export interface UidRange {
  from: number;
  to: number;
}

/** What other clients changed since a modseq. */
export interface FolderChanges {
  flags: readonly { uid: number; flags: readonly string[] }[];
  /** UIDs that are gone; missing where the server cannot tell (no QRESYNC). */
  vanished?: readonly number[];
}

/**
 * One signed-in session. Commands may be called at any time and run one after the other; each throws MailError. Reading never
 * marks an email as read. Only `uids` of the given folder are ever changed.
 */
export interface MailSession {
  readonly can: { condstore: boolean; qresync: boolean; idle: boolean; move: boolean };
  /** Resolves when the connection is over; with the reason if it broke. */
  readonly closed: Promise<MailError | undefined>;
  /** With the state of each folder, if it is wanted and the server can tell it together with the list. */
  folders(options?: { withStatus: boolean }): Promise<readonly RemoteFolder[]>;
  /** Among the user's own folders, whose paths begin with a prefix on some servers. */
  createFolder(path: string): Promise<void>;
  status(path: string): Promise<FolderStatus>;
  /** UIDs in the folder, ascending: all, or which of those that are wanted. */
  uids(path: string, wanted?: readonly number[]): Promise<readonly number[]>;
  /** Emails of the range in ascending order, in batches; the server waits while `take` is running. */
  fetch(path: string, range: UidRange, take: (batch: readonly FetchedMail[]) => Promise<void>): Promise<void>;
  /** The facts alone, for emails that may be known already. */
  facts(path: string, range: UidRange): Promise<readonly MailFacts[]>;
  changes(path: string, since: { uidValidity: string; modseq: string }): Promise<FolderChanges>;
  /** The whole email as it was sent. Throws MailError `refused` if it is larger than `maxBytes` or gone. */
  source(path: string, uid: number, maxBytes: number): Promise<Uint8Array>;
  /** The email as `fetch` gives it, but with its text up to so many characters. Throws MailError `refused` if it is gone. */
  email(path: string, uid: number, maxText: number): Promise<ParsedEmail>;
  /** The decoded content of one part. The same errors as `source`. */
  part(path: string, uid: number, part: string, maxBytes: number): Promise<{ content: Uint8Array; mime: string }>;
  /** UIDs of emails with this Message-ID, which is given without brackets. */
  withMessageId(path: string, rfcMessageId: string): Promise<readonly number[]>;
  setFlags(
    path: string,
    uids: readonly number[],
    change: { add?: readonly string[]; remove?: readonly string[] },
  ): Promise<void>;
  /** Returns the new UIDs by the old ones, where the server tells them. */
  move(path: string, uids: readonly number[], target: string): Promise<ReadonlyMap<number, number>>;
  /** Deletes exactly these for good: with UID EXPUNGE, or not at all. */
  expunge(path: string, uids: readonly number[]): Promise<void>;
  /** Returns the UID, where the server tells it. */
  append(path: string, email: Uint8Array, flags: readonly string[]): Promise<number | undefined>;
  /**
   * Waits until something changes in the folder (IDLE, or polling where the server cannot), until `signal` is aborted, or until
   * the connection ends; then returns. Other commands interrupt it and wait for nothing.
   */
  watch(path: string, signal: AbortSignal): Promise<'changed' | 'aborted'>;
  close(): Promise<void>;
}

/** An email to build. Nothing in it can start another header. */
export interface DraftContent {
  rfcMessageId: string;
  date: number;
  from: MailAddress;
  to: readonly MailAddress[];
  cc: readonly MailAddress[];
  /** Written into the header of a draft, and left out of what is sent. */
  bcc: readonly MailAddress[];
  subject: string;
  text: string;
  /** Safe HTML; missing for plain text only. */
  html?: string;
  inReplyTo?: string;
  references: readonly string[];
  attachments: readonly { name: string; mime: string; content: Uint8Array }[];
}

export interface OutgoingMail {
  /** Who gets it: To, Cc and Bcc together. */
  recipients: readonly string[];
  from: string;
  /** Without a Bcc header. */
  content: Uint8Array;
  signal: AbortSignal;
}

/**
 * `sent`: the server has accepted it for all but `refused`. `not-sent`: it certainly has not; with `retry` a later attempt may
 * succeed; `isSignInRefused` if the credentials are the reason. `unknown`: the connection broke after the content was handed over.
 * Reasons are our own text.
 */
export type MailSendOutcome =
  | { kind: 'sent'; refused: readonly { address: string; reason: string }[] }
  | { kind: 'not-sent'; reason: string; retry: boolean; isSignInRefused?: true; cause?: unknown }
  | { kind: 'unknown'; reason: string; cause?: unknown };

/** OAuth 2.0 for mail servers. It gets tokens and stores none; every method throws MailError. */
export interface MailOAuth {
  /** Authorization code with PKCE, in a browser on this machine. The listener for its redirect is open when it resolves. */
  signInByBrowser(client: OAuthClient, options: OAuthOptions): Promise<BrowserSignIn>;
  /** With a code that is typed on any machine (RFC 8628). */
  signInByDevice(client: OAuthClient, options: OAuthOptions): Promise<DeviceSignIn>;
  /** `rejected` where the authority no longer accepts the refresh token. */
  refresh(client: OAuthClient, refreshToken: string, options: OAuthOptions): Promise<OAuthTokens>;
}

/** The user's own client at an authority. */
export interface OAuthClient {
  /** Endpoints of the authority; only the issuer, if it publishes them. HTTPS, except on this machine. */
  authority: { issuer: string } | OAuthEndpoints;
  clientId: string;
  clientSecret?: string;
  scopes: readonly string[];
  /** Parameters of the authority for the page in the browser. */
  parameters?: Readonly<Record<string, string>>;
  /** Where the browser is sent back to: `http://127.0.0.1` or `http://localhost`; any free port where it has none. */
  redirectUri: string;
}

export interface OAuthEndpoints {
  /** The authority's own name for itself, if it is known. */
  issuer?: string;
  token: string;
  authorization?: string;
  device?: string;
}

export interface OAuthOptions {
  /** Ends the sign-in; its promise rejects. */
  signal: AbortSignal;
}

export interface BrowserSignIn {
  /** To be opened in the browser. */
  url: string;
  tokens: Promise<OAuthTokens>;
}

export interface DeviceSignIn {
  /** The page, and the code to type there. */
  url: string;
  code: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  tokens: Promise<OAuthTokens>;
}

/** A new refresh token replaces the one before, which may be invalid from then on. */
export interface OAuthTokens {
  accessToken: string;
  refreshToken?: string;
  /** Milliseconds since 1970; missing where the authority does not say. */
  expiresAt?: number;
}

/**
 * Finds the servers of a domain. What a domain publishes about itself is untrusted: only names and ports of servers with TLS are
 * taken from it. No method throws; nothing is sent but the domain.
 */
export interface MailDiscovery {
  /** From the file that the domain publishes for mail programs. */
  published(domain: string, signal: AbortSignal): Promise<FoundServers | undefined>;
  /** From SRV records (RFC 6186, RFC 8314). */
  records(domain: string, signal: AbortSignal): Promise<FoundServers | undefined>;
  /** Names of the hosts that receive its mail, preferred ones first. */
  exchangers(domain: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Whether such a server answers there, with a valid certificate if it begins with TLS. */
  answers(server: MailServer, protocol: 'imap' | 'smtp', signal: AbortSignal): Promise<boolean>;
}

export interface FoundServers {
  imap: MailServer;
  smtp?: MailServer;
}
