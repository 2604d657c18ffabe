import { type Body, type ModelProtocol, type ServerEvent, textOf } from './protocol.ts';
import type { ModelReply } from './scripted-model.ts';

/** The Messages API. */
export const anthropic: ModelProtocol = {
  matches: (path) => path.endsWith('/messages'),
  read: ({ tools = [], messages = [] }) => ({
    tools: tools.map((tool: Body) => tool.name),
    results: messages
      .flatMap((message: Body) => (Array.isArray(message.content) ? message.content : []))
      .filter((part: Body) => part.type === 'tool_result')
      .map((part: Body) => textOf(part.content)),
  }),
  write(reply, { model }) {
    const block = blockOf(reply);
    const stop_reason = reply.kind === 'call' ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 1, output_tokens: 1 };
    const head = { id: 'msg_1', type: 'message', role: 'assistant', model, usage };
    return {
      json: { ...head, content: [block], stop_reason, stop_sequence: null },
      events: [
        event('message_start', { message: { ...head, content: [], stop_reason: null, stop_sequence: null } }),
        event('content_block_start', { index: 0, content_block: emptied(block) }),
        event('content_block_delta', { index: 0, delta: deltaOf(reply) }),
        event('content_block_stop', { index: 0 }),
        event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }),
        event('message_stop', {}),
      ],
    };
  },
};

function event(type: string, more: object): ServerEvent {
  return { event: type, data: { type, ...more } };
}

function blockOf(reply: ModelReply): object {
  if (reply.kind === 'text') return { type: 'text', text: reply.text };
  return { type: 'tool_use', id: reply.id, name: reply.tool, input: reply.arguments };
}

function emptied(block: object): object {
  return 'text' in block ? { ...block, text: '' } : { ...block, input: {} };
}

function deltaOf(reply: ModelReply): object {
  if (reply.kind === 'text') return { type: 'text_delta', text: reply.text };
  return { type: 'input_json_delta', partial_json: JSON.stringify(reply.arguments) };
}
