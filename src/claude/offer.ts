import type { OpenCapability } from '../capability.ts';
import type { Prompt, ResourceTemplate } from '../operation.ts';
import { conversationResource } from './conversation-resource.ts';
import { approveCall } from './operations/approve-call.ts';
import { askClaude } from './operations/ask-claude.ts';
import { cancelTurn } from './operations/cancel-turn.ts';
import { archiveConversation, closeConversation, restoreConversation } from './operations/change-status.ts';
import { conversationHistory } from './operations/conversation-history.ts';
import { deleteConversation } from './operations/delete-conversation.ts';
import { forkConversation } from './operations/fork-conversation.ts';
import { listConversations } from './operations/list-conversations.ts';
import { listModels } from './operations/list-models.ts';
import { searchConversations } from './operations/search-conversations.ts';
import { sendMessage } from './operations/send-message.ts';
import { startConversation } from './operations/start-conversation.ts';
import { updateConversation } from './operations/update-conversation.ts';
import { codeReview } from './prompts/code-review.ts';
import { debugHelp } from './prompts/debug-help.ts';
import { explainCode } from './prompts/explain-code.ts';

/** What conversations offer; here, because the build evaluates what this file imports when it is first used. */
export const claudeOffer: Pick<OpenCapability, 'operations' | 'templates' | 'prompts'> = {
  operations: [
    askClaude,
    listModels,
    startConversation,
    sendMessage,
    conversationHistory,
    listConversations,
    updateConversation,
    forkConversation,
    cancelTurn,
    approveCall,
    archiveConversation,
    restoreConversation,
    closeConversation,
    deleteConversation,
    searchConversations,
  ],
  templates: [conversationResource] as ResourceTemplate[],
  prompts: [codeReview, explainCode, debugHelp] as Prompt[],
};
