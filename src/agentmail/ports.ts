import type { InboundEvent } from '../domain/chat.ts';
import type { Origin } from '../domain/origin.ts';
import type { Principal } from '../domain/principal.ts';
import type { AgentContext } from './agent.ts';

/** The caller: a process on this machine, or a token with an agent. */
export interface MailCaller {
  principal: Principal;
  origin?: Origin | undefined;
}

/** Finds the agent that a caller speaks for. Fails with NO_AGENT_IDENTITY where there is none. */
export interface Identities {
  of(caller: MailCaller): Promise<AgentContext>;
}

/** A letter in the index. The mailboxes are authoritative: their letters can be indexed again. */
export interface IndexedLetter {
  /** The shared `.agentmail` folder of its repository. */
  repository: string;
  id: string;
  from: string;
  to: string;
  message: string;
  /** Milliseconds since 1970; missing in mail of old versions. */
  createdAt?: number;
  inReplyTo?: string;
}

/** Events of letters that passed through this program. */
export type Passed = 'sent' | 'received';

/** A query for letters, newest first. */
export interface LetterFilter {
  /** All of these words, each as the beginning of a word of the letter. */
  words?: readonly string[];
  /** Written by or to this agent. */
  agent?: string;
  repository?: string;
  limit: number;
  /** `next` of an earlier page. */
  cursor?: string;
}

export interface LetterPage {
  letters: readonly IndexedLetter[];
  /** Cursor of the next page; missing on the last one. */
  next?: string;
}

/** How far a mailbox has been read into the index. */
export interface MailboxMark {
  path: string;
  /** Everything before this byte was read. */
  bytes: number;
  /** Position and id of the last line that was read: a rewrite of the file would have moved it. */
  lineStart: number;
  lastId: string;
}

/** Which letter answers which. */
export interface ReplyLink {
  id: string;
  inReplyTo: string;
}

/** The history of agent mail: every letter is a message of the chat source `agentmail`. */
export interface LetterIndex {
  /** Adds letters that are not indexed yet, by mailbox and id, and then stores how far that mailbox was read. */
  add(letters: readonly IndexedLetter[], mark?: MailboxMark): Promise<void>;
  /** The same for one that passed through this program, with its event; events never contain the text. */
  record(letter: IndexedLetter, passed: Passed): Promise<void>;
  link(repository: string, replies: readonly ReplyLink[]): Promise<void>;
  find(filter: LetterFilter): Promise<LetterPage>;
  /** The letters of this one's thread, oldest first; empty if it is unknown. */
  thread(id: string): Promise<readonly IndexedLetter[]>;
  mark(path: string): Promise<MailboxMark | undefined>;
  count(): Promise<number>;
  /** All mailboxes are read from their beginning next. Indexed letters are retained: some are in no mailbox any more. */
  clearMarks(): Promise<void>;
  /** Copies the letters that earlier versions stored in a separate table; does nothing the second time. */
  copyFormerLetters(): Promise<void>;
}

/** A letter as chat stores it, in the chat that is its mailbox. */
export interface LetterMessage {
  /** The store's own; grows with time. */
  id: string;
  chat: { id: string };
  externalId: string;
  sender: { id: string };
  text: string;
  at: number;
}

/** What agent mail needs of chat's message store. */
export interface LetterMessages {
  record(batch: { source: string; events: readonly InboundEvent[]; origin: 'live' | 'import' }): Promise<unknown>;
  /** Newest first. */
  find(
    filter: {
      sources: readonly string[];
      chats?: readonly number[];
      involving?: string;
      text?: { kind: 'prefixes'; text: string };
    },
    page: { limit: number; beforeId?: string },
  ): Promise<{ messages: readonly LetterMessage[]; hasMore: boolean }>;
  /** Oldest first. */
  byExternalIds(chats: readonly number[], externalIds: readonly string[]): Promise<readonly LetterMessage[]>;
  extent(source: string): Promise<{ count: number }>;
}

/** What agent mail needs of chat's list of chats. */
export interface MailboxChats {
  list(
    source: string,
    filter: Record<never, never>,
    page: { limit: number; after?: string },
  ): Promise<{ chats: readonly { key: number; id: string }[]; next?: string }>;
}

/** Data that is not part of a message: how far mailboxes were read, and which letter answers which. */
export interface LetterRecords {
  mark(path: string): Promise<MailboxMark | undefined>;
  saveMark(mark: MailboxMark): Promise<void>;
  clearMarks(): Promise<void>;
  link(repository: string, replies: readonly ReplyLink[]): Promise<void>;
  /** Those of these letters that are replies, with the ids of the letters they reply to. */
  repliesAmong(repository: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The ids of a letter's thread, its own among them, in no order. */
  thread(repository: string, id: string, limit: number): Promise<readonly string[]>;
}

/** Letters of the index that earlier versions had, until they are copied. */
export interface FormerLetters {
  copyTo(add: (letters: readonly IndexedLetter[]) => Promise<void>, batchSize: number): Promise<void>;
}

/** A tmux session with agents of a repository, by one of its panes. */
export interface KnownSession {
  tmux: string;
  pane: string;
}

export interface KnownRepository {
  /** Its `.agentmail` folder. */
  folder: string;
  /** Latest first. */
  sessions: readonly KnownSession[];
}

/** The Git repositories whose agents have called. */
export interface KnownRepositories {
  note(folder: string, session?: KnownSession): Promise<void>;
  /** The most recently seen first, up to a limit. */
  list(): Promise<readonly KnownRepository[]>;
  /** All of them. */
  folders(): Promise<readonly string[]>;
}

/** Identifies a letter and what it says. */
export interface LetterProof {
  /** The shared `.agentmail` folder of its repository. */
  repository: string;
  id: string;
  /** Of its sender, recipient and text. */
  digest: string;
}

/** The letters that the user wrote, in chat. No file of a repository can claim one. */
export interface OwnLetters {
  /** Before it is in a mailbox, where it could be read already. */
  add(proof: LetterProof): Promise<void>;
  has(proof: LetterProof): Promise<boolean>;
}

/** The repositories of agent mail in the store. */
export interface AgentmailStore {
  repositories: KnownRepositories;
  records: LetterRecords;
  formerLetters: FormerLetters;
  ownLetters: OwnLetters;
}

/** Keeps the index up to date with the mailboxes of all known repositories. */
export interface MailIndexer {
  /** Indexes new letters, and waits for that for a limited time. */
  refresh(): Promise<void>;
  /** Reads all mailboxes again from their beginning. */
  rebuild(): Promise<{ repositories: number; letters: number }>;
}
