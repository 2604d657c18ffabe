import type { OperationContext, ResourceTemplate } from '../operation.ts';
import type { ClaudeContext } from './context.ts';
import { toConversationView, toMessageView } from './conversation-view.ts';
import { newestThatFit } from './message-page.ts';

const SCHEME = 'conversation://';
const NEWEST = 50;

export const conversationResource: ResourceTemplate<ClaudeContext> = {
  uriTemplate: `${SCHEME}{id}`,
  name: 'conversation',
  title: 'A conversation with Claude',
  description:
    'A conversation with Claude and its newest 50 messages, as JSON. Subscribe to follow it; * is all conversations.',
  mimeType: 'application/json',
  right: 'read',
  async read(uri, { id = '' }, { conversations }) {
    const conversation = await conversations.get(id);
    const found = await conversations.messages(conversation.id, { limit: NEWEST });
    const messages = newestThatFit(found, (message) => toMessageView(message, false));
    const shown = {
      ...toConversationView(conversation),
      history: messages.map((message) => toMessageView(message, false)),
    };
    return { uri: uri.href, mimeType: 'application/json', text: JSON.stringify(shown, null, 2) };
  },
  async complete(variable, prefix, { conversations }: OperationContext & ClaudeContext) {
    if (variable !== 'id') return [];
    const known = await conversations.list({ limit: 100 });
    return known.map(({ id }) => String(id)).filter((id) => id.startsWith(prefix));
  },
  async subscribe(uri, { conversations }) {
    const id = uri.slice(SCHEME.length).split('?', 1)[0] ?? '';
    if (!id.includes('*')) await conversations.get(id);
    return undefined;
  },
};
