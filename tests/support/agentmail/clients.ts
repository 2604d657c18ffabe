import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/domain/json.ts';
import { openSession, postStateless } from '../mcp/rpc-http.ts';
import { type Message, request, stateless } from '../mcp/rpc-message.ts';
import { startShim } from '../mcp/shim-program.ts';
import { agentmailPath, type MailWorld } from './program.ts';

export type ProtocolEra = 'legacy' | 'modern';

export interface ToolAnswer {
  /** The first content block: text that the specification defines. */
  text: string;
  /** Further content blocks. */
  beside: readonly string[];
  content: JsonObject;
  isError: boolean;
}

/** An agent that uses the tools of agent mail, over any transport and protocol version. */
export interface MailClient {
  ask(method: string, params?: object): Promise<Message>;
  tool(name: string, args?: object): Promise<ToolAnswer>;
  /** Receives until nothing is left; returns the ids. */
  receiveAll(): Promise<string[]>;
}

function mailClient(ask: MailClient['ask']): MailClient {
  const client: MailClient = {
    ask,
    tool: async (name, args = {}) => toAnswer(await ask('tools/call', { name, arguments: args })),
    async receiveAll() {
      const ids: string[] = [];
      for (;;) {
        const { content } = await client.tool('receive');
        if (content.id === undefined) return ids;
        ids.push(String(content.id));
      }
    },
  };
  return client;
}

interface StdioStart {
  home: string;
  pane: string;
  era?: ProtocolEra;
  args?: readonly string[];
  /** Instead of `agentmail`. */
  program?: string;
  env?: Record<string, string>;
}

/** `agentmail mcp` as an assistant in that pane starts it. */
export async function startAgent(world: MailWorld, start: StdioStart) {
  const { home, pane, era = 'legacy', args = [], program = agentmailPath, env = world.server.env(pane) } = start;
  const shim = startShim({ home, cwd: world.project, env, program }, args);
  if (era === 'legacy') await shim.initialize();
  const ask = (method: string, params: object = {}) => shim.call(method, era === 'legacy' ? params : stateless(params));
  return { ...mailClient(ask), shim };
}

/** The same over HTTP, where the token is the identity. */
export async function connectAgent(url: string, token: string, era: ProtocolEra): Promise<MailClient> {
  const headers = { authorization: `Bearer ${token}` };
  if (era === 'legacy') {
    const session = await openSession(url, headers);
    return mailClient((method, params) => session.call(method, params));
  }
  return mailClient(async (method, params = {}) => {
    const { messages } = await postStateless(url, request(method, stateless(params)), headers);
    const [answer] = messages;
    assert(answer, `${method} was not answered`);
    return answer;
  });
}

function toAnswer({ result, error }: Message): ToolAnswer {
  assert(result, JSON.stringify(error));
  const [first, ...others] = (result.content as { text: string }[]).map(({ text }) => text);
  return {
    text: first ?? '',
    beside: others,
    content: result.structuredContent as JsonObject,
    isError: result.isError === true,
  };
}
