import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { changeConversation } from '../change-conversation.ts';
import type { ClaudeContext } from '../context.ts';
import { conversationFields, toBudget, toSettings } from '../conversation-input.ts';
import { ConversationRef, ConversationView, conversationLine, toConversationView } from '../conversation-view.ts';

export const updateConversation = operation({
  mcp: { name: 'conversation_update', title: 'Change a conversation' },
  cli: { path: 'conversation update', positionals: ['conversation_id'] },
  rest: { method: 'PUT', path: '/conversations/:conversation_id' },
  kind: 'command',
  effect: 'writes',
  idempotent: true,
  description: 'Changes a conversation with Claude from its next turn on.',
  input: z.strictObject({ conversation_id: ConversationRef, ...conversationFields }),
  output: ConversationView,
  async run(input, { conversations, models, clock, signal }: OperationContext & ClaudeContext) {
    const { id } = await conversations.get(input.conversation_id);
    const { title, system, model, settings, tools, auto_approve: autoApprove, budget } = input;
    const changes = {
      ...(title === undefined ? {} : { title }),
      ...(system === undefined ? {} : { system: system === '' ? undefined : system }),
      ...(model === undefined ? {} : { model: await models.resolve(model, signal) }),
      ...(settings === undefined ? {} : { settings: toSettings(settings) }),
      ...(tools === undefined ? {} : { tools }),
      ...(autoApprove === undefined ? {} : { autoApprove }),
      ...(budget === undefined ? {} : { budget: toBudget(budget) }),
    };
    return toConversationView(
      await changeConversation(conversations, id, { kind: 'update', changes, at: clock.now() }),
    );
  },
  render: conversationLine,
});
