import { z } from 'zod';
import { follow } from '../../domain/conversation.ts';
import { type ConversationId, newId } from '../../domain/ids.ts';
import { answerableIdentity, isOwner } from '../../domain/principal.ts';
import { randomHex } from '../../lib/chance.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ClaudeContext } from '../context.ts';
import { conversationFields, toBudget, toSettings } from '../conversation-input.ts';
import { ConversationView, toConversationView } from '../conversation-view.ts';
import { DEFAULT_MODEL } from '../models.ts';

const EVERY_TOOL = ['*'];

export const startConversation = operation({
  mcp: { name: 'conversation_start', title: 'Start a conversation with Claude' },
  cli: {
    path: 'conversation start',
    examples: ['switchboard conversation start --title Support --tools "get_*,search_*"'],
  },
  rest: { method: 'POST', path: '/conversations' },
  kind: 'command',
  effect: 'writes',
  description:
    'Starts a conversation with Claude, which can use the tools here. What sends or deletes waits for a person.',
  input: z.strictObject(conversationFields),
  output: ConversationView,
  async run(input, { conversations, models, settings, principal, clock, signal }: OperationContext & ClaudeContext) {
    const { claude: section } = await settings();
    const wanted = input.model ?? section.model ?? DEFAULT_MODEL;
    const at = clock.now();
    const { conversation, events } = follow(undefined, {
      kind: 'create',
      id: newId<ConversationId>(at, randomHex),
      owner: principal.name,
      identity: principal.identity,
      answersTo: answerableIdentity(principal),
      isOwners: isOwner(principal),
      ...(input.title === undefined ? {} : { title: input.title }),
      ...(input.system === undefined ? {} : { system: input.system }),
      model: await models.resolve(wanted, signal),
      settings: toSettings(input.settings ?? {}),
      tools: input.tools ?? EVERY_TOOL,
      autoApprove: input.auto_approve ?? [],
      budget: toBudget(input.budget ?? {}),
      at,
    });
    await conversations.save(conversation, events);
    return toConversationView(conversation);
  },
  render: ({ conversation_id: id, model }) => `Started conversation ${id} with ${model}.`,
});
