/** The process that owns the home, as shown to users: names are those of the answer. */
export interface DaemonView {
  running: boolean;
  pid?: number | undefined;
  version?: string | undefined;
  /** `auto` came up by itself; the others were started by a person or an assistant. */
  kind?: 'auto' | 'serve' | 'embedded' | undefined;
  uptime_ms?: number | undefined;
  /** Processes that are attached. */
  clients?: number | undefined;
  /** Where it listens for HTTP. */
  url?: string | undefined;
}

export interface DaemonPort {
  status(): Promise<DaemonView>;
  /** Ends a daemon that came up by itself, when it has answered what it has begun; says whether there was one. */
  stop(): Promise<{ stopped: boolean; pid?: number | undefined }>;
  /** The last lines of the log of automatically started daemons, oldest first; or all after a position in the file. */
  logs(which: LogRequest): Promise<DaemonLines>;
  /** The same, and then what is written, until the signal is aborted. */
  followLogs(which: LogRequest, signal: AbortSignal): Promise<AsyncIterable<DaemonLines>>;
}

interface LogRequest {
  lines: number;
  after?: number | undefined;
}

interface DaemonLines {
  path: string;
  lines: readonly string[];
  /** Where the file goes on. */
  position: number;
}
