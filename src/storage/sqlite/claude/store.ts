import type { ClaudeStores } from '../../../claude/ports.ts';
import type { SqliteParts } from '../../definition.ts';
import { createConversationRepository } from './conversations.ts';

export function open({ db, clock }: SqliteParts): ClaudeStores {
  return { conversations: createConversationRepository(db, clock) };
}
