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
import type { Origin } from '../domain/origin.ts';
import type { Principal } from '../domain/principal.ts';
import type { ResourceUpdate, Settle } from '../operation.ts';
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
  reached?(id: RequestId): void;
}

export interface ToolEntry {
  definition: Tool;
  call(
    args: Record<string, unknown>,
    context: ServerContext,
    caller: Caller,
  ): Promise<CallToolResult | InputRequiredResult>;
}

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
    argument: { name: string; value: string },
    context: ServerContext,
    caller: Caller,
  ): Promise<readonly string[] | undefined>;
  /** Throws where the URI, or pattern of URIs, cannot be subscribed to. */
  checkSubscription(uri: string, caller: Caller): Promise<void>;
  onListChanged(listener: (list: 'tools' | 'resources' | 'prompts') => void): () => void;
  onUpdate(listener: (update: ChangedResource) => void): () => void;
}
