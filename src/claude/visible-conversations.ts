import type { Conversation } from '../domain/conversation.ts';
import { AppError } from '../domain/errors.ts';
import type { ConversationId } from '../domain/ids.ts';
import { isOwner, type Principal } from '../domain/principal.ts';
import type { ConversationRepository } from './ports.ts';

/** What Claude said may come from what it has read: whoever gets it has read that, too. */
type NoteRead = (conversation: ConversationId) => Promise<void>;

export interface VisibleConversations extends ConversationRepository {
  /** Throws NOT_FOUND. */
  get(id: string): Promise<Conversation>;
}

/** The conversations of the caller; all of them for the owner. Others appear not to exist. */
export function visibleConversations(
  conversations: ConversationRepository,
  principal: Principal,
  noteRead: NoteRead,
): VisibleConversations {
  const isAll = isOwner(principal);
  const own = isAll ? {} : { identity: principal.identity };
  const isVisible = ({ identity }: Conversation) => isAll || identity === principal.identity;

  async function find(id: ConversationId): Promise<Conversation | undefined> {
    const found = await conversations.find(id);
    return found && isVisible(found) ? found : undefined;
  }

  async function get(id: string): Promise<Conversation> {
    const found = await find(id as ConversationId);
    if (found) return found;
    throw new AppError('NOT_FOUND', 'There is no conversation with this id.', {
      field: 'conversation_id',
      hint: 'conversation_list lists them.',
    });
  }

  return {
    save: conversations.save,
    find,
    get,
    delete: async (id) => ((await find(id)) ? conversations.delete(id) : false),
    list: (filter) => conversations.list({ ...filter, ...own }),
    async messages(id, page) {
      await get(id);
      await noteRead(id);
      return conversations.messages(id, page);
    },
    async sentAs(id, clientId) {
      await get(id);
      return conversations.sentAs(id, clientId);
    },
    async search(query, filter) {
      const found = await conversations.search(query, { ...filter, ...own });
      for (const id of new Set(found.map(({ conversation }) => conversation.id))) await noteRead(id);
      return found;
    },
    running: conversations.running,
  };
}
