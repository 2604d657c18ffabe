import { type Body, type ModelProtocol, type ServerEvent, textOf } from './protocol.ts';
import type { ModelReply } from './scripted-model.ts';

/** The Responses API of OpenAI. Codex groups the tools of a server in a namespace. */
export const responses: ModelProtocol = {
  matches: (path) => path.endsWith('/responses'),
  read: ({ tools = [], input = [] }) => ({
    tools: namespaced(tools).map(({ name }) => name),
    results: (Array.isArray(input) ? input : [])
      .filter((item: Body) => /_call_output$/.test(item.type ?? ''))
      .map((item: Body) => textOf(item.output)),
  }),
  write(reply, { tools = [] }) {
    const item = itemOf(reply, tools);
    const id = 'resp_1';
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      total_tokens: 2,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    const json = { id, object: 'response', status: 'completed', output: [item], usage };
    return {
      json,
      events: [
        event('response.created', { response: { id, object: 'response', status: 'in_progress', output: [] } }),
        event('response.output_item.added', { output_index: 0, item }),
        ...(reply.kind === 'text' ? [event('response.output_text.delta', delta(reply.text))] : []),
        event('response.output_item.done', { output_index: 0, item }),
        event('response.completed', { response: json }),
      ],
    };
  },
};

function event(type: string, more: object): ServerEvent {
  return { event: type, data: { type, ...more } };
}

function delta(text: string): object {
  return { item_id: 'msg_1', output_index: 0, content_index: 0, delta: text };
}

function namespaced(tools: readonly Body[]): { name: string; namespace?: string }[] {
  return tools.flatMap((tool) =>
    tool.type === 'namespace'
      ? tool.tools.map((inner: Body) => ({ name: inner.name, namespace: tool.name }))
      : [{ name: tool.name ?? tool.type }],
  );
}

function itemOf(reply: ModelReply, tools: readonly Body[]): object {
  if (reply.kind === 'text') {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }];
    return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
  }
  const tool = namespaced(tools).find(({ name }) => name === reply.tool) ?? { name: reply.tool };
  return {
    type: 'function_call',
    id: `fc_${reply.id}`,
    call_id: reply.id,
    ...tool,
    arguments: JSON.stringify(reply.arguments),
    status: 'completed',
  };
}
