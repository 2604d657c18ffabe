import type { Origin } from '../domain/origin.ts';
import { type Hello, processContext } from '../lib/daemon-hello.ts';

/** The process that sent the hello. */
export function originOf({
  pid,
  cwd,
  tmux,
  tmux_pane: pane,
}: Pick<Hello, 'pid' | 'cwd' | 'tmux' | 'tmux_pane'>): Origin {
  return { pid, cwd, ...(tmux === undefined ? {} : { tmux }), ...(pane === undefined ? {} : { tmuxPane: pane }) };
}

/** This process itself, if the call is not from another one. */
export function ownOrigin(): Origin {
  return originOf(processContext(process.env));
}
