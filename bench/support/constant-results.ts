import { z } from 'zod';
import { thirtyTools } from './tool-definitions.ts';

/** The responses of the lower bound: the thirty tools as a list, and one small result for every call. */
export function constantResults(): Record<string, object> {
  const text = 'chat-1 The chat (active)';
  return {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'bare', version: '1.0.0' },
    },
    'tools/list': {
      tools: thirtyTools().map(({ name, description, input, output }) => ({
        name,
        description,
        inputSchema: z.toJSONSchema(input, { io: 'input' }),
        outputSchema: z.toJSONSchema(output),
      })),
    },
    'tools/call': {
      content: [{ type: 'text', text }],
      structuredContent: { id: 'chat-1', name: 'The chat', state: 'active', labels: ['work', 'today'] },
    },
  };
}
