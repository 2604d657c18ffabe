import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { changeConversation } from '../change-conversation.ts';
import type { ClaudeContext } from '../context.ts';
import { ConversationRef, ConversationSummary, conversationLine, toConversationView } from '../conversation-view.ts';

type Context = OperationContext & ClaudeContext;

async function changed(id: string, kind: 'archive' | 'restore' | 'close', { conversations, clock }: Context) {
  const conversation = await conversations.get(id);
  return toConversationView(await changeConversation(conversations, conversation.id, { kind, at: clock.now() }));
}

const common = {
  kind: 'command',
  effect: 'writes',
  idempotent: true,
  output: ConversationSummary,
  render: conversationLine,
} as const;

export const archiveConversation = operation({
  ...common,
  mcp: { name: 'conversation_archive', title: 'Archive a conversation' },
  cli: { path: 'conversation archive', positionals: ['conversation_id'] },
  rest: { method: 'POST', path: '/conversations/:conversation_id/archive' },
  description: 'Archives a conversation with Claude, or restores it.',
  input: z.strictObject({
    conversation_id: ConversationRef,
    restore: z.boolean().default(false).describe('Make it active again.'),
  }),
  run: ({ conversation_id: id, restore }, context: Context) => changed(id, restore ? 'restore' : 'archive', context),
});

export const restoreConversation = operation({
  ...common,
  cli: { path: 'conversation restore', positionals: ['conversation_id'] },
  rest: { method: 'POST', path: '/conversations/:conversation_id/restore' },
  description: 'Makes an archived conversation with Claude active again.',
  input: z.strictObject({ conversation_id: ConversationRef }),
  run: ({ conversation_id: id }, context: Context) => changed(id, 'restore', context),
});

export const closeConversation = operation({
  ...common,
  mcp: { name: 'conversation_close', title: 'Close a conversation' },
  cli: { path: 'conversation close', positionals: ['conversation_id'] },
  rest: { method: 'POST', path: '/conversations/:conversation_id/close' },
  description: 'Closes a conversation with Claude for good; it can still be read.',
  input: z.strictObject({ conversation_id: ConversationRef }),
  run: ({ conversation_id: id }, context: Context) => changed(id, 'close', context),
});
