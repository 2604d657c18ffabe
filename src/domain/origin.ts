/** The process behind a local call; it identifies the agent. */
export interface Origin {
  /** As the process itself reports it. */
  pid: number;
  cwd: string;
  /** `TMUX` of its environment: socket, server pid and session number. */
  tmux?: string;
  /** `TMUX_PANE` of its environment. */
  tmuxPane?: string;
  /** The assistant that its environment shows. */
  assistant?: string;
  /**
   * The process as the kernel reports it, for a call that came over a socket; undefined where the kernel does not.
   * Missing if the caller is this process itself.
   */
  peer?(): number | undefined;
}
