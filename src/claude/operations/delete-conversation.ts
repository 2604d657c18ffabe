import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import type { ClaudeContext } from '../context.ts';
import { ConversationRef } from '../conversation-view.ts';

export const deleteConversation = operation({
  mcp: { name: 'conversation_delete', title: 'Delete a conversation' },
  cli: { path: 'conversation delete', positionals: ['conversation_id'] },
  rest: { method: 'DELETE', path: '/conversations/:conversation_id' },
  kind: 'command',
  effect: 'destroys',
  description: 'Deletes a conversation with Claude and its messages.',
  input: z.strictObject({ conversation_id: ConversationRef }),
  output: z.object({ conversation_id: z.string(), deleted: z.boolean() }),
  async run({ conversation_id: wanted }, { conversations, turns }: OperationContext & ClaudeContext) {
    const { id } = await conversations.get(wanted);
    await turns.end(id, 'cancelled');
    return { conversation_id: id, deleted: await conversations.delete(id) };
  },
  render: ({ conversation_id: id }) => `Deleted conversation ${id}.`,
});
