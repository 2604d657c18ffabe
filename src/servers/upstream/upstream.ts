import type { JsonObject } from '../../domain/json.ts';

/** The lists that a server offers, by the key of their result. */
export const LISTS = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
} as const;
export type ListName = keyof typeof LISTS;

/** An open connection to another MCP server, in whichever era of the protocol it speaks. */
export interface Upstream {
  readonly era: 'sessions' | 'stateless';
  readonly protocolVersion: string;
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  /** All pages of a list; empty where the server does not have the capability. */
  list(name: ListName, signal: AbortSignal): Promise<readonly JsonObject[]>;
  /** Sends a request and returns its result as it is. Fails with an UpstreamFailure. */
  request(method: string, params: JsonObject, options: UpstreamRequestOptions): Promise<JsonObject>;
  /** Follows changes of a resource, which `onResourceUpdated` then reports. */
  subscribe(uri: string, signal: AbortSignal): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  /** The minimum level of log messages, where the server has levels. */
  setLogLevel(level: string): Promise<void>;
  ping(signal: AbortSignal): Promise<void>;
  /** Resolves when the connection is lost or closed. All running requests have failed by then. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface UpstreamRequestOptions {
  signal: AbortSignal;
  /** Without an answer, a progress report or a question for so long, the request fails and is cancelled. */
  timeoutMs: number;
  /** Parameters of a progress notification, without its token. Progress is requested only where this is set. */
  onProgress?(params: JsonObject): void;
  /** A log message that the server sent for this request, as far as its transport shows that. */
  onLog?(params: JsonObject): void;
  /** Minimum level of log messages, for servers without sessions. */
  logLevel?: string;
  /**
   * A request of the server to the client (`elicitation/create`, `sampling/createMessage`, `roots/list`) that surely belongs
   * to this request. Time does not count while it runs. Throws to refuse.
   */
  onQuestion?(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** What a server sends by itself. */
export interface UpstreamListener {
  onListChanged(list: 'tools' | 'resources' | 'prompts'): void;
  onResourceUpdated(uri: string): void;
  /** A log message that no request can be found for. */
  onLog(params: JsonObject): void;
  /** A request that could belong to any of the running requests, or to none. Throws to refuse. */
  onQuestion(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** A line that is not of the protocol, or a message that was dropped. */
  onNoise(text: string): void;
}

/**
 * Why a request has no result. `closed`: the connection ended while it ran or before. `unauthorized`: the server wants other
 * credentials; `challenge` is its WWW-Authenticate header. `rpc`: the server answered with an error of its own.
 */
export type FailureKind = 'closed' | 'timeout' | 'cancelled' | 'too-large' | 'unauthorized' | 'unreachable' | 'rpc';

/** The text is ours; what the server wrote is in `rpc`. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly kind: FailureKind;
  readonly rpc: { code: number; message: string; data?: unknown } | undefined;
  readonly challenge: string | undefined;
  readonly status: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    details: {
      rpc?: { code: number; message: string; data?: unknown };
      challenge?: string;
      status?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.rpc = details.rpc;
    this.challenge = details.challenge;
    this.status = details.status;
  }
}

/** Carries messages of one connection. A message is written at once or fails. */
export interface UpstreamTransport {
  /** `headers` are for transports that have them (2026-07-28). Resolves when it was written or, over HTTP, answered. */
  send(message: JsonObject): Promise<void>;
  /** Called once, before anything is sent. */
  open(receiver: TransportReceiver): void;
  close(): Promise<void>;
}

export interface TransportReceiver {
  /** `answering` is the id of the request in whose answer the message came, where the transport has such (HTTP). */
  onMessage(message: JsonObject, answering?: string | number): void;
  /** An answer over the limit was skipped; its id where it was found. */
  onTooLarge(id: string | number | null): void;
  onNoise(text: string): void;
  /** Nothing arrives any more. */
  onClosed(cause?: UpstreamFailure): void;
}
