import { type Conversation, type ConversationCommand, follow } from '../domain/conversation.ts';
import { AppError } from '../domain/errors.ts';
import type { ConversationId } from '../domain/ids.ts';
import type { ConversationRepository } from './ports.ts';

type Repository = Pick<ConversationRepository, 'find' | 'save'>;

/** Other calls may change a conversation between its reading and its writing. */
const MAX_ATTEMPTS = 5;

/** Loads a conversation, applies a command, and saves both its state and its events. */
export async function changeConversation(
  repository: Repository,
  id: ConversationId,
  command: ConversationCommand,
): Promise<Conversation> {
  for (let attempt = 1; ; attempt++) {
    const { conversation, events } = follow(await repository.find(id), command);
    if (events.length === 0) return conversation;
    try {
      await repository.save(conversation, events);
      return conversation;
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.code !== 'CONFLICT' || attempt === MAX_ATTEMPTS) throw thrown;
    }
  }
}
