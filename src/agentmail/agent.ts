/** Statuses that an agent sets; it is woken only when it is ready. */
export const STATUSES = ['ready', 'work', 'offline'] as const;
export type AgentStatus = (typeof STATUSES)[number];

/** Identifies a tmux window, whatever its name: `<pid of the tmux server>:<start of that server>:@<window>`. */
export type WindowKey = string;

/** An agent that can be written to. */
export interface Peer {
  name: string;
  isCurrent: boolean;
  /** Missing for an agent that has no window, such as one on HTTP. */
  window?: WindowKey;
  /** The pane of its program, as tmux names it (`%3`). */
  pane?: string;
  /** The working directory of that pane. */
  folder?: string;
}

/** The mail folders of a repository, each an `.agentmail`. */
export interface MailFolders {
  /** Of the main worktree, shared by all. It has the delivery state. */
  main: string;
  /** The folders to read: `main`, and the linked worktree's own one if it has one. */
  read: readonly string[];
  /** The folder for letters to an agent that works in `folder`. */
  forFolder(folder: string | undefined): string;
}

/** The agent behind a call, and whom it can reach. Determined for every call, because windows change. */
export interface AgentContext {
  me: Peer;
  /** Every window of the session in tmux's order, including our own and ignored ones. */
  peers: readonly Peer[];
  /** Names that others must not see or write to. */
  ignored: ReadonlySet<string>;
  mailFolders: MailFolders;
  /** Sentences about files of the repository that were not used. */
  findings?: readonly string[];
  /** Every window of our tmux server, in any session. Queried only where a letter requires it. */
  everyWindow?(): Promise<readonly WindowKey[]>;
}
