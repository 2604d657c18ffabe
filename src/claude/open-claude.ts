import type { CapabilityParts, OpenCapability, ResourceUpdate } from '../capability.ts';
import type { AgentTools } from '../domain/agent-tool.ts';
import type { Conversation } from '../domain/conversation.ts';
import type { StoredEvent } from '../domain/event-log.ts';
import type { ConversationId } from '../domain/ids.ts';
import type { OutboxCaller } from '../domain/outbox.ts';
import { isOwner, type Principal } from '../domain/principal.ts';
import { createListeners } from '../lib/listeners.ts';
import { opensLate } from '../lib/once.ts';
import type { OperationContext } from '../operation.ts';
import { createApiAccess } from './api-access.ts';
import { changeConversation } from './change-conversation.ts';
import type { ClaudeContext } from './context.ts';
import { principalOf, sessionOf } from './conversation-principal.ts';
import { claudeGuide } from './guide.ts';
import { createModels } from './models.ts';
import { claudeOffer } from './offer.ts';
import type { ClaudeStores, ConversationRepository } from './ports.ts';
import type { ClaudeSettings } from './settings.ts';
import { createTurns } from './turn/turns.ts';
import { visibleConversations } from './visible-conversations.ts';

/** Conversations at run time. */
export function openClaude(
  { tools }: { tools: AgentTools },
  parts: CapabilityParts<ClaudeStores, ClaudeSettings>,
): OpenCapability {
  const { clock, settings } = parts;
  const log = parts.log.child({ component: 'claude' });
  const outbox = parts.service('outbox');
  const tokens = () => parts.service('system');
  const stored = opensLate<ConversationRepository>(async () => (await parts.store()).conversations);
  /** Which identity each conversation belongs to, for notifications: whoever is not known to own one hears nothing of it. */
  const identities = new Map<string, string>();
  const conversations = remembering(stored, identities);
  let hasKey = false;
  const changes = createListeners();
  async function noteKey(): Promise<void> {
    const hadKey = hasKey;
    hasKey = Boolean((await settings()).claude.api_key);
    if (hasKey !== hadKey) changes.notify();
  }
  const api = createApiAccess({ settings, log });
  const principalFor = (conversation: Conversation) =>
    principalOf(conversation, { tools, tokenOf: (author) => tokens().find(author) });
  const turns = createTurns({ conversations, api, settings, tools, principalOf: principalFor, clock, log });
  const shared = {
    turns,
    models: createModels({ api, clock }),
    api,
    settings,
    clock,
    shareReads: (from: Conversation, to: Conversation) => outbox.shareReads(readerOf(from), readerOf(to)),
  };

  function partsFor(principal: Principal, context: OperationContext): ClaudeContext {
    const hear = (conversation: Conversation) => outbox.shareReads(readerOf(conversation), context);
    return {
      ...shared,
      conversations: visibleConversations(conversations, principal, hear),
      tellConversation: (conversation) => outbox.shareReads(context, readerOf(conversation)),
      hearConversation: hear,
    };
  }

  const mayHear = (principal: Principal, id: string) => isOwner(principal) || identities.get(id) === principal.identity;

  return {
    ...claudeOffer,
    guide: claudeGuide({ hasKey: () => hasKey, ready: noteKey, onChange: changes.add }),
    reconfigured: noteKey,
    parts: { ...shared, conversations },
    partsFor,
    filtersByGrants: true,
    updates,
    mayHear: (principal, { data }) => mayHear(principal, String(data.conversation)),
    events: [
      {
        prefix: 'conversation.',
        description: 'Steps of conversations with Claude, without what is said; of the own conversations only.',
        right: 'read',
        mayReceive: (principal, { subject }) => mayHear(principal, subject),
      },
    ],
    async start() {
      for (const { id } of await stored.running()) {
        await changeConversation(stored, id, { kind: 'end-turn', outcome: 'interrupted', at: clock.now() });
        log.warn({ conversation: id }, 'a turn was running when the process ended');
      }
      for (const [id, identity] of await stored.identities()) identities.set(id, identity);
    },
    stop: () => turns.endAll('interrupted'),
    keepsDaemonAlive: () => turns.isAnyRunning(),
  };
}

/** A conversation, as far as it reads and tells: its rights do not matter for that. */
function readerOf({ id, owner, identity, answersTo }: Conversation): OutboxCaller {
  const principal: Principal = { kind: 'token', name: owner, identity, scopes: new Set(), madeBy: [answersTo] };
  return { principal, session: sessionOf(id) };
}

function remembering(stored: ConversationRepository, identities: Map<string, string>): ConversationRepository {
  const note = <T extends Conversation | undefined>(conversation: T): T => {
    if (conversation) identities.set(conversation.id, conversation.identity);
    return conversation;
  };
  const noted = (list: readonly Conversation[]) => list.map((each) => note(each));
  return {
    save(conversation, events) {
      note(conversation);
      return stored.save(conversation, events);
    },
    find: async (id) => note(await stored.find(id)),
    delete: (id) => stored.delete(id),
    list: async (filter) => noted(await stored.list(filter)),
    messages: (id, page) => stored.messages(id, page),
    sentAs: (id, clientId) => stored.sentAs(id, clientId),
    search: (query, filter) => stored.search(query, filter),
    identities: () => stored.identities(),
    running: () => stored.running(),
  };
}

/** Resources that an event changes: the conversation that it is about. */
function updates({ type, subject, at }: StoredEvent): readonly ResourceUpdate[] {
  if (!type.startsWith('conversation.')) return [];
  const conversation = subject as ConversationId;
  return [{ uri: `conversation://${subject}`, fields: { type }, data: { conversation, type, at } }];
}
