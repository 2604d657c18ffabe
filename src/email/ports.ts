import type { FetchedMail, RemoteFolder } from '../connectors/mail-connector.ts';
import type { EmailAttachment, EmailAuthentication, FolderRole, MailAddress } from '../domain/email.ts';
import type { IndexedText } from '../domain/indexed-text.ts';
import type { JsonObject } from '../domain/json.ts';

/** An account that was added by a command. Accounts of the configuration file are not here. */
export interface AccountRow {
  id: string;
  /** As an entry of `accounts` in the configuration, without secrets. */
  settings: JsonObject;
  createdAt: number;
}

export interface AccountRepository {
  /** Oldest first. */
  list(): Promise<readonly AccountRow[]>;
  /** Fails with CONFLICT if the id exists. */
  add(row: AccountRow): Promise<void>;
  /** Returns whether it existed. */
  remove(id: string): Promise<boolean>;
}

/** A folder of an account, and how much of it is stored. */
export interface StoredFolder {
  key: number;
  account: string;
  path: string;
  role?: FolderRole;
  /** Missing before the folder was first synchronized. */
  uidValidity?: string;
  /** All changes up to this one are stored; missing where the server does not number them. */
  modseq?: string;
  /** All wanted emails with `low <= UID < high` are stored. */
  low: number;
  high: number;
}

/**
 * The state of a folder that a writer believes in. Where another one is stored, because the folder has begun anew or is gone,
 * nothing is written and FolderChangedError is thrown: its UIDs may mean other emails.
 */
export interface ExpectedFolder {
  uidValidity: string;
  low?: number;
  high?: number;
}

export class FolderChangedError extends Error {
  override readonly name = 'FolderChangedError';
}

/** How much of a folder is stored, saved together with it; missing fields are unchanged. */
export type FolderProgress = Partial<Pick<StoredFolder, 'uidValidity' | 'modseq' | 'low' | 'high'>>;

/** A fetched email with what the store needs to know of it. */
export interface MailToStore extends FetchedMail {
  /** The same for the same email, in whichever folder. */
  identity: string;
  /** Its place in time, in milliseconds. */
  at: number;
  /** Written by the user. */
  isOwn: boolean;
  /** What the store searches, where the thread that fetches has made it. */
  indexed?: IndexedText;
}

export interface MailBatch {
  account: string;
  folder: number;
  mails: readonly MailToStore[];
  /** As in chat: `live` ones are sent to subscribers one by one. */
  origin: 'live' | 'newer' | 'older';
  progress?: FolderProgress;
  expected?: ExpectedFolder;
}

export interface EmailLocation {
  folder: number;
  path: string;
  role?: FolderRole;
  uid: number;
}

/** An email as it is stored, besides its message. */
export interface StoredEmail {
  /** Our id of the message. */
  id: string;
  account: string;
  rfcMessageId?: string;
  inReplyTo?: string;
  references: readonly string[];
  replyTo: readonly MailAddress[];
  bcc: readonly MailAddress[];
  flags: readonly string[];
  isSeen: boolean;
  isFlagged: boolean;
  attachments: readonly EmailAttachment[];
  authentication?: EmailAuthentication;
  isAutomatic: boolean;
  problems: readonly string[];
  size: number;
  receivedAt: number;
  locations: readonly EmailLocation[];
}

/** An email that is in no folder, as far as is known. */
export interface UnlocatedEmail {
  id: string;
  receivedAt: number;
}

/**
 * Emails with their folders. What depends on all emails of a folder is done in several transactions, everything else in one.
 */
export interface MailStore {
  /** Work that the store does in the background waits for this work, though not forever. */
  prioritize<T>(work: () => Promise<T>): Promise<T>;
  /** Inbox first, trash and junk last. */
  folders(account: string): Promise<readonly StoredFolder[]>;
  /** Those of them with this role, path or last part of the path, as searches find them. */
  foldersNamed(account: string, wanted: string): Promise<readonly StoredFolder[]>;
  /** Adds new folders and removes those that the server no longer has, with their emails' locations. */
  saveFolders(account: string, remote: readonly RemoteFolder[]): Promise<readonly StoredFolder[]>;
  saveProgress(folder: number, progress: FolderProgress, expected?: ExpectedFolder): Promise<void>;
  /** Nothing of the folder is stored: its locations are removed. Emails from `uidNext` on are new, all others are old. */
  beginFolder(
    folder: number,
    state: { uidValidity: string; uidNext: number; modseq?: string | undefined },
  ): Promise<void>;
  /** Returns the ids of the messages in their order, new or known. */
  record(batch: MailBatch): Promise<{ added: number; ids: readonly string[] }>;
  /** Emails that are stored already, by the server's own id: they get a further location. Returns the UIDs of the others. */
  locateKnown(
    account: string,
    folder: number,
    facts: readonly { uid: number; emailId?: string }[],
    expected?: ExpectedFolder,
  ): Promise<readonly number[]>;
  /** Returns how many emails changed. */
  saveFlags(
    folder: number,
    changes: readonly { uid: number; flags: readonly string[] }[],
    progress?: FolderProgress,
  ): Promise<number>;
  uids(folder: number, range: { from: number; to: number }): Promise<readonly number[]>;
  /** The emails are no longer in this folder. */
  removeLocations(folder: number, uids: readonly number[]): Promise<number>;
  /** The emails are now in another folder, under these UIDs. */
  moveLocations(folder: number, target: number, uids: ReadonlyMap<number, number>): Promise<void>;
  /** Emails that left their folder and were not seen in another one. They may be in one that is not stored yet. */
  unlocated(account: string): Promise<readonly UnlocatedEmail[]>;
  /** Deletes those of these emails that are in no folder. Returns how many. */
  deleteUnlocated(account: string, ids: readonly string[]): Promise<number>;
  /** In the order of the ids; those that are no emails are missing. */
  byIds(ids: readonly string[]): Promise<readonly StoredEmail[]>;
  byRfcId(account: string, rfcMessageId: string): Promise<readonly StoredEmail[]>;
  /** Counts by folder. */
  counts(account: string): Promise<readonly { folder: number; messages: number; unread: number }[]>;
  /** After a bulk job has added many emails: makes searches as fast as before, in small steps. */
  mergeIndex(): Promise<void>;
  /** Ids of all accounts of which something is stored. */
  accounts(): Promise<readonly string[]>;
  /** Removes everything that is stored of an account, except its messages. */
  removeAccount(account: string): Promise<void>;
}

/** The repositories of email in the store. */
export interface EmailStores {
  accounts: AccountRepository;
  mail: MailStore;
}
