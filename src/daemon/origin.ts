import type { Socket } from 'node:net';
import type { Origin } from '../domain/origin.ts';
import { type Hello, processContext } from '../lib/daemon-hello.ts';
import { peerProcess } from '../lib/peer-process.ts';

type Reported = Pick<Hello, 'pid' | 'cwd' | 'tmux' | 'tmux_pane' | 'assistant'>;

/** The process that sent the hello over this socket. */
export function originOf(hello: Reported, socket: Socket): Origin {
  let peer: { pid: number | undefined } | undefined;
  return {
    ...reported(hello),
    // Only calls that depend on who is calling need it.
    peer() {
      peer ??= { pid: peerProcess(socket) };
      return peer.pid;
    },
  };
}

/** This process itself, if the call is not from another one. */
export function ownOrigin(): Origin {
  return reported(processContext(process.env));
}

function reported({ pid, cwd, tmux, tmux_pane: pane, assistant }: Reported): Origin {
  return {
    pid,
    cwd,
    ...(tmux === undefined ? {} : { tmux }),
    ...(pane === undefined ? {} : { tmuxPane: pane }),
    ...(assistant === undefined ? {} : { assistant }),
  };
}
