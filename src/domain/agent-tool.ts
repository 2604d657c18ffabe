import type { JsonObject } from './json.ts';
import type { Principal } from './principal.ts';

/** A tool of this program, or of another server, as a model may call it from inside the program. */
export interface AgentTool {
  name: string;
  description: string;
  inputSchema: JsonObject;
  /** Its capability; `servers` for tools of other servers. */
  capability: string;
  /** What a call with this input does; clients decide from it whether to ask the user. */
  effectOf(input: JsonObject): 'reads' | 'writes' | 'sends' | 'destroys';
  /** Does not throw: a failure is a result. */
  call(input: JsonObject, caller: AgentCaller): Promise<AgentToolResult>;
}

/** Who a model acts for. It is never the person, and cannot ask one. */
export interface AgentCaller {
  principal: Principal;
  session: string;
  signal: AbortSignal;
}

export interface AgentToolResult {
  isError: boolean;
  /** For the model; data, whoever wrote it. */
  texts: readonly string[];
}

export interface AgentTools {
  /** Names of the capabilities whose tools these are. */
  capabilities(): readonly string[];
  /** The tools that this principal may use, sorted by name. */
  list(principal: Principal): readonly AgentTool[];
}
