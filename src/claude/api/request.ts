import type { JsonObject } from '../../domain/json.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';

/** The models and limits of one request, in our own terms. */
export interface ClaudeRequest {
  model: string;
  maxTokens: number;
  system?: string | undefined;
  effort?: Effort | undefined;
  stopSequences?: readonly string[] | undefined;
  /** As the API takes them: roles and blocks. */
  messages: readonly ApiMessage[];
}

export interface ApiMessage {
  role: 'user' | 'assistant';
  content: readonly JsonObject[];
}

export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** An answer of Claude. Its content is kept as the API gave it. */
export interface ClaudeReply {
  model: string;
  content: readonly JsonObject[];
  stopReason: string;
  usage: TokenUsage;
  requestId?: string;
}

/** A tool that Claude may call. */
export interface ClaudeTool {
  name: string;
  description: string;
  inputSchema: JsonObject;
  /** Does not throw: a failure is a result. */
  run(input: JsonObject, call: { id: string; signal: AbortSignal }): Promise<ClaudeToolResult>;
}

export interface ClaudeToolResult {
  isError: boolean;
  texts: readonly string[];
}

export interface ClaudeModel {
  id: string;
  name: string;
  line?: string;
  lifecycle: string;
  maxInputTokens?: number;
  maxOutputTokens?: number;
  retiresAt?: string;
  createdAt: string;
}

export interface ReplyOptions {
  signal: AbortSignal;
  onText?(part: string): void;
}

/** What happens between the steps of a turn. */
export interface TurnHooks extends ReplyOptions {
  /** A reply is complete. Resolves with whether its tools may run and the turn goes on. */
  onReply(reply: ClaudeReply): Promise<boolean>;
  /** The tools have run; the next request is sent when this has resolved with `true`. */
  onResults(results: readonly JsonObject[]): Promise<boolean>;
}

/** The Claude API. Failures are AppErrors. */
export interface ClaudeApi {
  ask(request: ClaudeRequest, options: ReplyOptions): Promise<ClaudeReply>;
  /** Where the messages end with calls of tools, these run first. */
  converse(request: ClaudeRequest, tools: readonly ClaudeTool[], hooks: TurnHooks): Promise<void>;
  models(signal: AbortSignal): Promise<readonly ClaudeModel[]>;
}
