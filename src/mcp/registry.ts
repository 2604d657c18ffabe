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
import type { Origin } from '../domain/origin.ts';
import type { Principal } from '../domain/principal.ts';
import type { Settle } from '../operation.ts';
import type { Era } from './errors.ts';
import type { RequestId } from './id-scanner.ts';

/** Who asks, and in which protocol. */
export interface Caller {
  principal: Principal;
  era: Era;
  /** The process that asks; missing where it asks over the network. */
  origin?: Origin;
  /** Says what becomes of the answer to a request. */
  onDelivery?(id: RequestId, settle: Settle): void;
  /** The version both sides speak, once that is settled. */
  version?(): string | undefined;
  /** This request has become a call, which is observed as such. */
  becameCall?(id: RequestId): void;
}

/** What a request brings along: its metadata, a signal that it was cancelled, and how to report progress. */
export interface RequestContext {
  mcpReq: Pick<ServerContext['mcpReq'], 'id' | 'method' | '_meta' | 'signal' | 'notify'>;
}

export interface PlainTool {
  definition: Tool;
  interactive?: never;
  call(args: Record<string, unknown>, context: RequestContext, caller: Caller): Promise<CallToolResult>;
}

/** A tool that asks the client for something while it runs, or logs to it: the SDK's context does that. */
export interface InteractiveTool {
  definition: Tool;
  interactive: true;
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

export type CompletionTarget = { kind: 'prompt'; name: string } | { kind: 'template'; uriTemplate: string };

export interface ChangedResource extends ResourceUpdate {
  /** The event's number: what a subscriber names to resume after it. */
  number: number;
}

/** Something a client wants to hear of. */
export interface Subscription {
  /** The URI or pattern as the client wrote it, but for where it resumes. */
  pattern: string;
  /** The number of the last event that the client has seen: it is told what came after it first. */
  after?: number;
  /** What is compared with the resources that change. */
  follows: readonly string[];
}

/** What changed after an event, oldest first, and the number of the event up to which that is all. */
export interface MissedUpdates {
  updates: readonly ChangedResource[];
  upTo: number;
}

/** What an endpoint offers. Lists hold only what the principal may use. */
export interface Registry {
  tools(principal: Principal): readonly ToolEntry[];
  tool(name: string, principal: Principal): ToolEntry | undefined;
  resources(principal: Principal): readonly Resource[];
  templates(principal: Principal): readonly ResourceTemplateType[];
  /** `undefined` where nothing answers to the URI. */
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
  ): Promise<readonly string[] | undefined>;
  /** Throws where the URI, or pattern of URIs, cannot be subscribed to. */
  checkSubscription(uri: string, caller: Caller): Promise<Subscription>;
  onListChanged(listener: (list: 'tools' | 'resources' | 'prompts') => void): () => void;
  /** Changes as they happen, of which this principal may hear. */
  onUpdate(listener: (update: ChangedResource) => void, principal: Principal): () => void;
  /** A part of what changed after this event; nothing has where it reaches no further than the event itself. */
  missed(after: number, principal: Principal): Promise<MissedUpdates>;
  /** The number of the newest event. */
  newestEvent(): Promise<number>;
}
