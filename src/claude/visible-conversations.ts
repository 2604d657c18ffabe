import type { Conversation } from '../domain/conversation.ts';
import { AppError } from '../domain/errors.ts';
import type { ConversationId } from '../domain/ids.ts';
import { isOwner, type Principal } from '../domain/principal.ts';
import type { ConversationRepository } from './ports.ts';

/** What Claude said may come from what it has read: whoever gets it has read that, too. */
type NoteRead = (conversation: Conversation) => Promise<void>;

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
    return found && isVisible(found) ? shown(found) : undefined;
  }

  /** Claude wrote the input of a call that waits. */
  async function shown(conversation: Conversation): Promise<Conversation> {
    if (conversation.turn.state === 'awaiting_approval') await noteRead(conversation);
    return conversation;
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
    list: async (filter) => Promise.all((await conversations.list({ ...filter, ...own })).map(shown)),
    async messages(id, page) {
      await noteRead(await get(id));
      return conversations.messages(id, page);
    },
    async sentAs(id, clientId) {
      await get(id);
      return conversations.sentAs(id, clientId);
    },
    async search(query, filter) {
      const found = await conversations.search(query, { ...filter, ...own });
      const searched = new Map(found.map(({ conversation }) => [conversation.id, conversation]));
      for (const conversation of searched.values()) await noteRead(conversation);
      return found;
    },
    identities: conversations.identities,
    running: conversations.running,
  };
}
