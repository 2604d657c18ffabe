import type { Readable, Writable } from 'node:stream';

/** How a server's program is started: an argument vector, never a shell. */
export interface LaunchPlan {
  command: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment of the process. */
  env: Readonly<Record<string, string>>;
  /** The process is the client of a container, which can outlive it. */
  isContainer?: true;
}

/** How a process ended; `error` where it could not be started, with `syscall: 'chdir'` where its folder is missing. */
export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: NodeJS.ErrnoException;
}

/** A server's process, with all that it has started. */
export interface ServerProcess {
  /** Undefined where it could not be started. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process that was started has ended. What is left of its descendants is then ended as by `stop`. */
  readonly exited: Promise<ProcessExit>;
  /** Ends it with all its descendants; resolves when none is left, at the latest after the stop timeout. Never rejects. */
  stop(): Promise<void>;
}

/** The last output of a server on stderr, and what it wrote to stdout beside the protocol. Bounded. */
export interface ServerOutput {
  /** Adds a chunk as it was read. */
  write(stream: 'stderr' | 'stdout', chunk: Buffer): void;
  /** The stream has ended: an unfinished line is complete. */
  end(stream: 'stderr' | 'stdout'): void;
  /** A line of our own, such as how the process ended. */
  note(text: string): void;
  /** The newest complete lines, oldest first. `after` is the number of a line. */
  lines(options?: { last?: number; after?: number }): readonly OutputLine[];
  /** The end of stderr as one text, for errors; at most so many characters, of lines after the one with this number. */
  tail(maxLength: number, after?: number): string;
  /** Called when there are more lines; returns how to stop that. */
  listen(listener: () => void): () => void;
}

export interface OutputLine {
  number: number;
  at: number;
  stream: 'stderr' | 'stdout' | 'switchboard';
  text: string;
}
