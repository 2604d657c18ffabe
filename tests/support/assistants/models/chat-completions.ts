import { type Body, type ModelProtocol, textOf } from './protocol.ts';
import type { ModelReply } from './scripted-model.ts';

/** The Chat Completions API of OpenAI, which most other servers offer too. */
export const chatCompletions: ModelProtocol = {
  matches: (path) => path.endsWith('/chat/completions'),
  read: ({ tools = [], messages = [] }) => ({
    tools: tools.map((tool: Body) => tool.function?.name ?? tool.name),
    results: messages
      .filter((message: Body) => message.role === 'tool')
      .map((message: Body) => textOf(message.content)),
  }),
  write(reply, { model }) {
    const message = messageOf(reply);
    const finish_reason = reply.kind === 'call' ? 'tool_calls' : 'stop';
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const head = { id: 'chatcmpl-1', created: 1, model };
    const chunk = (delta: object, reason: string | null, more: object = {}) => ({
      data: {
        ...head,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: reason }],
        ...more,
      },
    });
    return {
      json: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
      events: [chunk(message, null), chunk({}, finish_reason, { usage }), { data: '[DONE]' }],
    };
  },
};

function messageOf(reply: ModelReply): object {
  if (reply.kind === 'text') return { role: 'assistant', content: reply.text };
  const call = { name: reply.tool, arguments: JSON.stringify(reply.arguments) };
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: reply.id, type: 'function', function: call }],
  };
}
