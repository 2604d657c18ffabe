import type { JsonObject } from '../domain/json.ts';

/** The process that owns the home, as shown to users: names are those of the answer. */
export interface DaemonView {
  running: boolean;
  pid?: number | undefined;
  version?: string | undefined;
  /** `auto` was started automatically; the others were started by the user or an assistant. */
  kind?: 'auto' | 'serve' | 'embedded' | undefined;
  uptime_ms?: number | undefined;
  /** Processes that are attached. */
  clients?: number | undefined;
  /** Its HTTP URL. */
  url?: string | undefined;
  /** Why a changed configuration is not in force, on one line. */
  config_problem?: string | undefined;
}

export interface DaemonPort {
  status(): Promise<DaemonView>;
  /** Stops an auto-started daemon after it has answered its running requests; returns whether there was one. */
  stop(): Promise<{ stopped: boolean; pid?: number | undefined }>;
  /** Runs an operation in the daemon, which is started if there is none, for a command that runs here itself. */
  call(operation: string, input: object, signal: AbortSignal): Promise<JsonObject>;
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
  /** The position at which to continue. */
  position: number;
}
