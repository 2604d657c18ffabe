import type { JsonObject } from '../../domain/json.ts';
import type { ServerConfig } from '../../domain/server-config.ts';
import type { ServerProblem } from '../../domain/server-state.ts';
import type { Upstream, UpstreamListener } from '../upstream/upstream.ts';

/** A server that is started and answers. */
export interface ServerConnection {
  readonly upstream: Upstream;
  /** Process id of the program that was started; undefined for a remote server. */
  readonly pid: number | undefined;
  /** Why it ended, if that was not `close`. Never rejects. */
  readonly ended: Promise<ServerProblem>;
  /** Ends it with all its processes. */
  close(): Promise<void>;
}

/** Starts a server and shakes hands with it. Fails with a StartFailure; then nothing of it is left. */
export type ConnectServer = (
  config: ServerConfig,
  listener: UpstreamListener,
  signal: AbortSignal,
  /** Of the only client of this connection; without it, those that some client may have. */
  capabilities?: JsonObject,
) => Promise<ServerConnection>;

/** Why a server could not be started. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
  readonly problem: ServerProblem;

  constructor(problem: ServerProblem, cause?: unknown) {
    super(problem.message, cause === undefined ? undefined : { cause });
    this.problem = problem;
  }
}
