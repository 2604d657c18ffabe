import type { Capability } from '../capability.ts';
import type { Operation, OperationContext } from '../operation.ts';

/** An operation that has a command, and the capability it belongs to. */
export interface CatalogEntry {
  capability: Pick<Capability, 'name' | 'invalidInput'>;
  operation: Operation;
}

/** What to serve over MCP. */
export interface ServeOptions {
  /** Names of capabilities; empty means all. */
  only: readonly string[];
  /** Hides operations that write or send. */
  readOnly: boolean;
  /** The session that the owner of the home held for this client until now. */
  session?: string;
}

export interface ServeStdioOptions extends ServeOptions {
  /** Everything inside this process: no daemon is started. */
  embedded: boolean;
}

export interface ServeHttpOptions extends ServeOptions {
  port: number;
  host: string;
  token?: string;
  /** Adds a source with a small example history. */
  demo?: boolean;
}

/** The running program, as far as commands need it. */
export interface CliComposition {
  /** Goes through the pipeline: checks the input, fails with an AppError. */
  call(
    operation: Operation,
    input: unknown,
    progress: OperationContext['progress'],
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>;
  /** The stream of an operation that has one: resolves when it has ended, at the latest when the signal is aborted. */
  follow(
    operation: Operation,
    input: unknown,
    emit: (output: Record<string, unknown>) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Both serve until the client or a signal ends them, and return the exit code. */
  serveStdio(options: ServeStdioOptions): Promise<number>;
  serveHttp(options: ServeHttpOptions): Promise<number>;
  /** Runs the daemon in the background until it is idle. */
  runDaemon(): Promise<number>;
  close(): Promise<void>;
}

export interface ComposeOptions {
  /** Configuration from the command line: keys with dots (`logging.level`), values as typed. */
  flags: Record<string, unknown>;
  /** The home, if the command line sets it. */
  home?: string;
}

export type Compose = (options: ComposeOptions) => Promise<CliComposition>;

/** What `compose.ts` provides for the command line. */
export interface CompositionModule {
  composeCli: Compose;
  /** Every operation with a command, without opening anything. */
  operationsCatalog(): readonly CatalogEntry[] | Promise<readonly CatalogEntry[]>;
}
