/** What an agent says of itself; others wake it only when it is ready. */
export const STATUSES = ['ready', 'work', 'offline'] as const;
export type AgentStatus = (typeof STATUSES)[number];

/** A tmux window for ever: `<pid of the tmux server>:<start of that server>:@<window>`. Names change, this does not. */
export type WindowKey = string;

/** Somebody who can be written to. */
export interface Peer {
  name: string;
  isCurrent: boolean;
  /** Missing for an agent that has no window, such as one on HTTP. */
  window?: WindowKey;
  /** The pane in which its program runs, as tmux names it (`%3`). */
  pane?: string;
  /** The folder in which that pane works. */
  folder?: string;
}

/** Folders of mail, each an `.agentmail`. */
export interface MailFolders {
  /** The main worktree's: shared by all worktrees. Delivery state is kept here. */
  main: string;
  /** Where mail of ours may be, `main` among them: a linked worktree's own folder too, where it has one. */
  read: readonly string[];
  /** Where mail for an agent that works in `folder` is put. */
  forFolder(folder: string | undefined): string;
}

/** Where a caller stands: who it is, and whom it can reach. Found anew for every call, because windows come and go. */
export interface AgentContext {
  me: Peer;
  /** Every window of the session in tmux's order, our own included, ignored ones too. */
  peers: readonly Peer[];
  /** Names that others must not see or write to. */
  ignored: ReadonlySet<string>;
  mailFolders: MailFolders;
  /** Every window of our tmux server, in whichever session. Asked only where a letter makes it matter. */
  everyWindow?(): Promise<readonly WindowKey[]>;
}
