/** A running signal-cli, however it is reached. */
export interface Daemon {
  /** The result of a method. Throws `RpcError` for what signal-cli refuses. */
  call(method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  /** Received messages arrive from now on, of this account only if it is given. */
  subscribe(account: string | undefined): Promise<void>;
  /** Pauses the reading of received messages, or resumes it. */
  hold(isHeld: boolean): void;
  /** Resolves with the reason when the connection is lost. */
  ended: Promise<Error>;
  /** Ends the connection. What was received before has been passed on when it resolves. */
  close(): Promise<void>;
}

export interface CallOptions {
  /** Of the request; an answer that comes too late is reported with it. */
  id?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface Listener {
  /** A received message; `stored` is called once it is on disk. */
  received(params: unknown, stored: () => void): void;
  /** The result of a request that no caller waits for any more. */
  late(id: string, result: unknown): void;
}

/** What signal-cli refuses; its own text is the cause. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** What it says besides, such as the results of sending. */
  readonly data: unknown;

  constructor(code: number, said: string, data: unknown) {
    super(`signal-cli answered with error ${code}.`, { cause: said });
    this.code = code;
    this.data = data;
  }
}

/** The request certainly did not reach signal-cli. */
export class NotReached extends Error {
  override readonly name = 'NotReached';
}

/** The codes of signal-cli, besides those of JSON-RPC. */
export const CODE = {
  noMethod: -32_601,
  wrongParameters: -32_602,
  userError: -1,
  unexpected: -2,
  network: -3,
  untrustedKey: -4,
  rateLimit: -5,
  captcha: -6,
} as const;

export const USUAL_TIMEOUT_MS = 60_000;
/** The longest line: an attachment of about 64 MB. */
export const MAX_LINE_BYTES = 96 * 1024 * 1024;
