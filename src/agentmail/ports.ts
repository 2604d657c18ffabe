import type { Origin } from '../domain/origin.ts';
import type { Principal } from '../domain/principal.ts';
import type { AgentContext } from './agent.ts';

/** Who calls, as far as the door knows: a process on this machine, or a token that carries an agent. */
export interface MailCaller {
  principal: Principal;
  origin?: Origin;
}

/** Finds out which agent a caller speaks for. Fails with NO_AGENT_IDENTITY where it speaks for none. */
export interface Identities {
  of(caller: MailCaller): Promise<AgentContext>;
}

/** A letter as the index keeps it. The mailboxes are the truth; all of this can be read from them again. */
export interface IndexedLetter {
  /** The `.agentmail` folder in which its repository keeps its mail. */
  repository: string;
  id: string;
  from: string;
  to: string;
  message: string;
  /** Milliseconds since 1970; missing in mail of old versions. */
  createdAt?: number;
  inReplyTo?: string;
}

/** What happened to a letter that passed through this program. */
export type Passed = 'sent' | 'received';

/** Which letters are wanted, newest first. */
export interface LetterFilter {
  /** All of these words, each as the beginning of a word of the letter. */
  words?: readonly string[];
  /** Written by or to this one. */
  agent?: string;
  repository?: string;
  limit: number;
  /** Where an earlier page said that the next begins. */
  cursor?: string;
}

export interface LetterPage {
  letters: readonly IndexedLetter[];
  /** Where the next page begins; missing when this is the last. */
  next?: string;
}

/** How far a mailbox has been read into the index. */
export interface MailboxMark {
  path: string;
  /** What had been read: everything before this byte. */
  bytes: number;
  /** Where the last line that was read begins, and its id: another's rewrite of the file would have moved it. */
  lineStart: number;
  lastId: string;
}

/** History of agent mail in the main store: search, threads, what was said. Losing it loses no mail. */
export interface LetterIndex {
  /** Adds what is not known yet, by repository and id, and remembers how far that mailbox was read. */
  add(letters: readonly IndexedLetter[], mark?: MailboxMark): Promise<void>;
  /** The same for one that passed through here, together with the event that says so; events never tell what it says. */
  record(letter: IndexedLetter, passed: Passed): Promise<void>;
  /** Notes which letters are answers. */
  link(repository: string, replies: readonly { id: string; inReplyTo: string }[]): Promise<void>;
  find(filter: LetterFilter): Promise<LetterPage>;
  /** The letters that belong together with this one, oldest first; none where it is not known. */
  thread(id: string): Promise<readonly IndexedLetter[]>;
  mark(path: string): Promise<MailboxMark | undefined>;
  count(): Promise<number>;
  /** Forgets every letter and mark. */
  clear(): Promise<void>;
}

/** Where agents of a repository were seen: a session of tmux, by one of its panes. */
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

/** The repositories whose agents have called. */
export interface RepositoryBook {
  note(folder: string, session?: KnownSession): Promise<void>;
  /** The one that was seen last first. */
  list(): Promise<readonly KnownRepository[]>;
}

/** Keeps the index in step with the mailboxes of the repositories that are known. */
export interface MailIndexer {
  /** Reads what is new, and waits for it, but not long. */
  refresh(): Promise<void>;
  /** Forgets everything and reads it again. */
  rebuild(): Promise<{ repositories: number; letters: number }>;
}

/** What agent mail keeps in the store. */
export interface AgentmailStore {
  letters: LetterIndex;
  repositories: RepositoryBook;
}
