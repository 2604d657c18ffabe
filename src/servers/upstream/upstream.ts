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
  /** The list of roots has changed. Without sessions a server asks for it when it needs it. */
  rootsChanged(): Promise<void>;
  /** Resolves when the connection is lost, with the reason, or closed. All running requests have failed by then. */
  readonly closed: Promise<UpstreamFailure | undefined>;
  close(): Promise<void>;
}

export interface UpstreamRequestOptions {
  signal: AbortSignal;
  /** Without an answer, a progress report or a question for so long, the request fails and is cancelled. */
  timeoutMs: number;
  /** Parameters of a progress notification, without its token. Progress is requested only where this is set. */
  onProgress?: ((params: JsonObject) => void) | undefined;
  /** A log message that the server sent for this request, as far as its transport shows that. */
  onLog?: ((params: JsonObject) => void) | undefined;
  /** Minimum level of log messages, for servers without sessions. */
  logLevel?: string | undefined;
  /** What the client of this request can do, for servers without sessions. */
  capabilities?: JsonObject | undefined;
  /**
   * A request of the server to the client (`elicitation/create`, `sampling/createMessage`, `roots/list`) that surely belongs
   * to this request. Time does not count while it runs. Throws to refuse; the server gets the `rpc` of an UpstreamFailure.
   */
  onQuestion?(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** What a server sends by itself. */
export interface UpstreamListener {
  onListChanged(list: 'tools' | 'resources' | 'prompts'): void;
  onResourceUpdated(uri: string): void;
  /** A log message that no request can be found for. */
  onLog(params: JsonObject): void;
  /** A request that could belong to any of the running requests, or to none. Throws to refuse, as above. */
  onQuestion(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** What the user was sent to a URL for is done; with its `elicitationId`. */
  onElicitationComplete?(params: JsonObject): void;
  /** A line that is not of the protocol, or a message that was dropped. */
  onNoise(text: string): void;
}

/**
 * Why a request has no result. `closed`: the connection ended while it ran or before. `unauthorized`: the server wants other
 * credentials; `challenge` is its WWW-Authenticate header. `unreachable`: the request did not get to the server, or a proxy
 * or the server itself has no capacity. `rpc`: the server answered with an error of its own. `protocol`: its answer is not
 * one that the protocol has.
 */
export type FailureKind =
  | 'closed'
  | 'timeout'
  | 'cancelled'
  | 'too-large'
  | 'unauthorized'
  | 'unreachable'
  | 'rpc'
  | 'protocol';

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

/** Carries messages of one connection. */
export interface UpstreamTransport {
  /** Called once, before anything is sent. */
  open(receiver: TransportReceiver): void;
  /**
   * Writes a message. What is returned, if anything, resolves when it was delivered, over HTTP when its answer has arrived,
   * and rejects with an UpstreamFailure where that cannot happen any more.
   */
  send(message: JsonObject): Promise<void> | undefined;
  /** No one waits for the answer to this request any longer. Only for transports where requests have their own streams. */
  drop?(id: number): void;
  /** What was negotiated; before `notifications/initialized`, where there is a session. */
  began?(era: Upstream['era'], protocolVersion: string): void;
  /** Whether the server has given the connection a session, where transports have those. */
  hasSession?(): boolean;
  close(): Promise<void>;
}

export interface TransportReceiver {
  /** `answering` is the id of the request in whose answer the message came, where the transport has such (HTTP). */
  onMessage(message: JsonObject, answering?: number): void;
  /** An answer over the limit was skipped; its id where it was found. */
  onTooLarge(id: string | number | null): void;
  onNoise(text: string): void;
  /** Nothing arrives any more. */
  onClosed(cause?: UpstreamFailure): void;
}
