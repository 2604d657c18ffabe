/** The process behind a local call; it identifies the agent. */
export interface Origin {
  pid: number;
  cwd: string;
  /** `TMUX` of its environment: socket, server pid and session number. */
  tmux?: string;
  /** `TMUX_PANE` of its environment. */
  tmuxPane?: string;
}
