import type { JsonObject } from './json.ts';
import type { OutboxCaller } from './outbox.ts';
import type { Principal } from './principal.ts';

/** What an entry of another server takes: its definition for clients, under a name of ours. */
export interface GatewayEntry {
  /** As the server gave it, but for its name. */
  readonly definition: JsonObject & { name: string };
  readonly server: string;
  /** Its results are passed on as they are; otherwise characters that a person would not see are shown. */
  readonly isTrusted: boolean;
  /** The server is trusted and says that it changes nothing. */
  readonly isReadOnly: boolean;
  /** The entry that a call means, where it is not this one. Throws where there is no such entry. */
  target?(args: JsonObject): { entry: GatewayEntry; args: JsonObject };
  /** Answers a call here, without a server. */
  answer?(args: JsonObject): Promise<JsonObject>;
}

/** The connection of a client, which its requests share. */
export interface GatewaySession {
  /** Aborted when it ends. */
  readonly ended: AbortSignal;
  /** Sends the client a request that belongs to none of its own. Fails where it cannot answer. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** The client answered a question with an error; `code` is that of JSON-RPC, and both are its own. */
export class ClientRefusal extends Error {
  override readonly name = 'ClientRefusal';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A request of a client that is passed on, and how its client is reached while it runs. */
export interface GatewayRequest {
  readonly caller: OutboxCaller;
  /** Missing where each request of the client is a connection of its own. */
  readonly session?: GatewaySession | undefined;
  readonly signal: AbortSignal;
  /** What the client declares that it can do, in the words of the protocol. */
  readonly capabilities?: JsonObject | undefined;
  /** `_meta` of the request. */
  readonly meta?: JsonObject | undefined;
  /** Set where the client asked for progress. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** Passes a log message on; the receiver applies its level. */
  readonly onLog?: ((params: JsonObject) => void) | undefined;
  /** Minimum level of log messages, where the client has asked for one. */
  readonly logLevel?: string | undefined;
  /** Whether the client can answer this request of a server: `elicitation/create`, `sampling/createMessage`, `roots/list`. */
  canAnswer(method: string, params: JsonObject): boolean;
  /**
   * Sends a request to the client and returns its result. Missing for clients without sessions: their request is answered with
   * the questions, and repeated with the answers.
   */
  readonly ask?: ((method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>) | undefined;
  /** What such a client repeats its request with. */
  readonly repeated?: { responses: JsonObject; state: string } | undefined;
}

/**
 * Tools, resources and prompts of other servers, which endpoints offer beside those of this program. What is listed depends on
 * the principal alone. Results are the servers' own; a failure is an AppError.
 */
export interface Gateway {
  /** Sorted by name. Where there are too many, a search instead; clients that search themselves, known by name, get all. */
  tools(principal: Principal, client?: string): readonly GatewayEntry[];
  /** Also finds what is not listed because there is too much. */
  tool(name: string, principal: Principal): GatewayEntry | undefined;
  callTool(tool: GatewayEntry, args: JsonObject, request: GatewayRequest): Promise<JsonObject>;
  prompts(principal: Principal): readonly GatewayEntry[];
  prompt(name: string, principal: Principal): GatewayEntry | undefined;
  getPrompt(prompt: GatewayEntry, args: JsonObject, request: GatewayRequest): Promise<JsonObject>;
  resources(principal: Principal): readonly JsonObject[];
  templates(principal: Principal): readonly JsonObject[];
  /** Whether a server offers this resource. */
  hasResource(uri: string, principal: Principal): boolean;
  readResource(uri: string, request: GatewayRequest): Promise<JsonObject>;
  /** The result of `completion/complete` for a prompt or a template; undefined where it is of no server. */
  complete(
    target: { kind: 'prompt'; name: string } | { kind: 'template'; uriTemplate: string },
    params: JsonObject,
    request: GatewayRequest,
  ): Promise<JsonObject | undefined>;
  /** Follows a resource until it is released. */
  subscribe(uri: string, principal: Principal): Promise<() => void>;
  /** The roots of this client are others now. */
  rootsChanged(session: GatewaySession): void;
  onListChanged(listener: (list: 'tools' | 'resources' | 'prompts') => void): () => void;
}
