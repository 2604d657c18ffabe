import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { changeConversation } from '../change-conversation.ts';
import type { ClaudeContext } from '../context.ts';
import { ConversationRef, ConversationSummary, conversationLine, toConversationView } from '../conversation-view.ts';

export const cancelTurn = operation({
  mcp: { name: 'conversation_cancel', title: 'Cancel an answer of Claude' },
  cli: { path: 'conversation cancel', positionals: ['conversation_id'] },
  rest: { method: 'POST', path: '/conversations/:conversation_id/cancel' },
  kind: 'command',
  effect: 'writes',
  idempotent: true,
  description: 'Ends the turn that runs, or waits for approval, in a conversation with Claude.',
  input: z.strictObject({ conversation_id: ConversationRef }),
  output: ConversationSummary,
  async run({ conversation_id: wanted }, { conversations, turns, clock }: OperationContext & ClaudeContext) {
    const { id } = await conversations.get(wanted);
    await turns.end(id, 'cancelled');
    const command = { kind: 'end-turn', outcome: 'cancelled', at: clock.now() } as const;
    return toConversationView(await changeConversation(conversations, id, command));
  },
  render: conversationLine,
});
