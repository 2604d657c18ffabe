import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server';
import type { ResourceUpdate } from '../capability.ts';
import type { GatewaySession } from '../domain/gateway.ts';
import type { Audience } from '../domain/guide.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Origin } from '../domain/origin.ts';
import type { OutboxCaller } from '../domain/outbox.ts';
import type { Principal } from '../domain/principal.ts';
import type { RequestId } from '../lib/id-scanner.ts';
import type { Settle } from '../operation.ts';
import type { Era } from './errors.ts';

/** The principal of a request, and its era of the protocol. */
export interface Caller {
  principal: Principal;
  era: Era;
  /** The client's process, if it is on this machine. */
  origin?: Origin;
  /** Id of the client's session, if it has one. */
  session?(): string | undefined;
  /** The name that the client gives itself. */
  clientName?(): string | undefined;
  /** What the client of a session declared in `initialize`. */
  clientCapabilities?(): Record<string, unknown> | undefined;
  /** The client asks its user, or the request has a limit of its own: it may take longer than any request. */
  waitsForUser?(id: RequestId): void;
  /** Sends a request to the client while one of its own runs, and returns its result. Only in sessions. */
  ask?(during: RequestId, method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** The connection, where it is of more than one request. */
  connection?: GatewaySession;
  /** The minimum level of log messages that the client of a session has chosen. */
  logLevel?(): string | undefined;
  /** Registers what is notified whether the answer to a request was delivered. */
  onDelivery?(id: RequestId, settle: Settle): void;
  /** The negotiated protocol version, once it is known. */
  version?(): string | undefined;
  /** This request has become a call, which is observed by itself. */
  becameCall?(id: RequestId): void;
}

/** What a handler gets with a request: its metadata, its abort signal, and a way to report progress. */
export interface RequestContext {
  mcpReq: Pick<ServerContext['mcpReq'], 'id' | 'method' | '_meta' | 'signal' | 'notify'>;
}

export interface PlainTool {
  definition: Tool;
  interactive?: never;
  /** Its results are sent as they are, with characters that a person would not see. */
  isVerbatim?: boolean;
  /** It may ask the user of a client that can: such a call needs the SDK. */
  mayAsk?: boolean;
  call(
    args: Record<string, unknown>,
    context: RequestContext,
    caller: Caller,
  ): Promise<CallToolResult | InputRequiredResult>;
}

/** A tool that sends requests or log messages to the client while it runs, through the SDK's context. */
export interface InteractiveTool {
  definition: Tool;
  interactive: true;
  isVerbatim?: never;
  call(
    args: Record<string, unknown>,
    context: ServerContext,
    caller: Caller,
  ): Promise<CallToolResult | InputRequiredResult>;
}

export type ToolEntry = PlainTool | InteractiveTool;

export interface PromptEntry {
  definition: Prompt;
  get(
    args: Record<string, string>,
    context: ServerContext,
    caller: Caller,
  ): Promise<GetPromptResult | InputRequiredResult>;
}

export interface Completion {
  values: readonly string[];
  /** How many there are in all, where that is known to be something else than the number of values. */
  total?: number;
  hasMore?: boolean;
}

export type CompletionTarget = { kind: 'prompt'; name: string } | { kind: 'template'; uriTemplate: string };

export interface ChangedResource extends ResourceUpdate {
  /** The event's number: a subscriber resumes after it. */
  number: number;
  /** Called before its content is delivered to a client. */
  noteDelivery?(caller: OutboxCaller): Promise<void>;
}

/** What a client is subscribed to. */
export interface Subscription {
  /** The URI or pattern as the client sent it, without its resume parameter. */
  pattern: string;
  /** The number of the last event that the client received: newer ones are replayed first. */
  after?: number;
  /** Patterns that changed resources are matched with. */
  follows: readonly string[];
  /** Called when the client has ended it. */
  release?(): void;
}

/** What changed after an event, oldest first; complete up to the event `upTo`. */
export interface MissedUpdates {
  updates: readonly ChangedResource[];
  upTo: number;
}

/** What an endpoint offers. Lists contain only what the principal may use. */
export interface Registry {
  /** Resolves when what is configured is known: a client is served after that. */
  ready?(): Promise<void>;
  /** What a model should know about what is offered. */
  instructions?(principal: Principal, origin?: Origin): string | undefined;
  /** `client` is the name that the client gives itself. */
  tools(principal: Principal, client?: string, origin?: Origin): readonly ToolEntry[];
  tool(name: string, principal: Principal): ToolEntry | undefined;
  resources(principal: Principal): readonly Resource[];
  templates(principal: Principal): readonly ResourceTemplateType[];
  /** `undefined` where no resource has this URI. */
  read(
    uri: string,
    context: ServerContext,
    caller: Caller,
  ): Promise<ReadResourceResult | InputRequiredResult | undefined>;
  prompts(principal: Principal): readonly PromptEntry[];
  prompt(name: string, principal: Principal): PromptEntry | undefined;
  /** `undefined` where the prompt or template does not exist. */
  complete(
    target: CompletionTarget,
    argument: { name: string; value: string; chosen: Readonly<Record<string, string>> },
    context: ServerContext,
    caller: Caller,
  ): Promise<Completion | undefined>;
  /** Throws where the URI, or pattern of URIs, cannot be subscribed to. */
  checkSubscription(uri: string, caller: Caller): Promise<Subscription>;
  /** The roots of a client are others now. */
  rootsChanged?(connection: GatewaySession): void;
  /** With an audience, only what changes for it is reported. */
  onListChanged(listener: (list: 'tools' | 'resources' | 'prompts') => void, audience?: Audience): () => void;
  /** Notifies of changes as they happen, if this principal may receive them. */
  onUpdate(listener: (update: ChangedResource) => void, principal: Principal): () => void;
  /** One page of what changed after this event. There is no more when `upTo` is the event itself. */
  missed(after: number, principal: Principal): Promise<MissedUpdates>;
  /** The number of the newest event. */
  newestEvent(): Promise<number>;
}
