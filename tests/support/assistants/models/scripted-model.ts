/** What a program sends to its model, whatever the protocol. */
export interface ModelRequest {
  /** Names of the tools that it offers. */
  tools: readonly string[];
  /** The results of tool calls in the conversation, as the model sees them. */
  results: readonly string[];
}

export type ModelReply = { kind: 'call'; id: string; tool: string; arguments: object } | { kind: 'text'; text: string };

interface Script {
  /** The end of the name of the tool that it calls; programs put prefixes before it. */
  tool: string;
  arguments: object;
  /** The conversation ends when a result contains this. */
  until: string;
}

/** A model that calls one tool, searching for it first where tools are deferred, and ends when it has seen the answer. */
export function createScriptedModel(script: Script) {
  const offered = new Set<string>();
  const results: string[] = [];
  let calls = 0;

  function next({ tools, results: seen }: ModelRequest): ModelReply {
    if (tools.length === 0) return { kind: 'text', text: 'ok' };
    if (seen.some((result) => result.includes(script.until))) return { kind: 'text', text: `I saw ${script.until}` };
    if (calls >= MOST_CALLS) return { kind: 'text', text: 'I give up.' };
    const tool = tools.find((name) => name.endsWith(script.tool));
    if (tool !== undefined) return call(tool, script.arguments);
    const search = tools.find((name) => /^tool_?search$/i.test(name));
    if (search !== undefined && calls === 0) return call(search, { query: `select:${DEFERRED}${script.tool}` });
    return call(`${DEFERRED}${script.tool}`, script.arguments);
  }

  function call(tool: string, given: object): ModelReply {
    calls += 1;
    return { kind: 'call', id: `call_${calls}`, tool, arguments: given };
  }

  return {
    offered,
    results,
    answer(request: ModelRequest): ModelReply {
      for (const name of request.tools) offered.add(name);
      results.push(...request.results.filter((result) => !results.includes(result)));
      return next(request);
    },
  };
}

export type ScriptedModel = ReturnType<typeof createScriptedModel>;

const MOST_CALLS = 6;
/** How tools of our server are called by programs that do not list them at first. */
const DEFERRED = 'mcp__switchboard__';
