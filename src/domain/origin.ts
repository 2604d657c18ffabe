/** The process behind a call that came through a local door: what tells which agent it speaks for. */
export interface Origin {
  pid: number;
  cwd: string;
  /** `TMUX` of its environment: socket, server pid and session number. */
  tmux?: string;
  /** `TMUX_PANE` of its environment. */
  tmuxPane?: string;
}
