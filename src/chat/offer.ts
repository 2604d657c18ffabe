import type { OpenCapability } from '../capability.ts';
import type { EventLog } from '../domain/event-log.ts';
import { readGrants, sendGrants } from '../domain/grants.ts';
import type { OutboxPort } from '../domain/outbox.ts';
import type { Principal } from '../domain/principal.ts';
import type { Clock } from '../lib/clock.ts';
import type { OperationContext, Prompt, ResourceTemplate } from '../operation.ts';
import { analyzeConversation } from './analyze-conversation.ts';
import { accessibleEvents, mayReceive } from './grants/event-access.ts';
import { type HiddenSources, withoutSources } from './grants/hidden-sources.ts';
import { restricted, wholeAccounts } from './grants/restricted.ts';
import type { Imports } from './import/imports.ts';
import { messageResource } from './message-resource.ts';
import { notingMessages, readInEvent } from './noting-messages.ts';
import { messagesCommand } from './operations/follow-messages.ts';
import { getMessages, getSourceMessages } from './operations/get-messages.ts';
import { getThread } from './operations/get-thread.ts';
import { importArchive } from './operations/import-archive.ts';
import { listChats } from './operations/list-chats.ts';
import { listSources } from './operations/list-sources.ts';
import { postMessages } from './operations/post-messages.ts';
import { type RemoveParts, removeSource } from './operations/remove-source.ts';
import { searchCommand, searchMessages, searchRoute } from './operations/search.ts';
import { type SendParts, sendMessage } from './operations/send-message.ts';
import { loginSource, logoutSource } from './operations/sign-on.ts';
import type { ChatStore, MessageStore, SourceRepository } from './ports.ts';
import type { Sending } from './sending.ts';
import type { Accounts, Sources } from './sources.ts';
import { sourcesStatus } from './status.ts';
import { messageUpdates } from './subscribe.ts';
import { chatGrantsWith } from './token-grants.ts';
import type { Webhooks } from './webhook.ts';

export interface ChatParts {
  sources: Sources;
  chats: ChatStore;
  messages: MessageStore;
  sourceRepository: SourceRepository;
  events: Pick<EventLog, 'read' | 'range'>;
  webhooks: Webhooks;
  imports: Imports;
  accounts: Accounts;
  clock: Clock;
  sending: Pick<Sending, 'addressOf'>;
  outbox: Pick<OutboxPort, 'submit' | 'noteRead'>;
  listen: SendParts['listen'];
  /** Sources of other capabilities that require a separate right, which this principal does not have. */
  hiddenFrom(principal: Principal): HiddenSources;
  forgetSecrets: RemoveParts['forgetSecrets'];
  /** The list of sources has changed. */
  reloadSources(): Promise<void>;
}

/** The operations, resources and prompts of chat. */
export function chatOffer(parts: ChatParts) {
  return {
    operations: [
      listSources,
      listChats,
      getMessages,
      getSourceMessages,
      messagesCommand,
      searchMessages,
      searchRoute,
      searchCommand,
      getThread,
      postMessages,
      importArchive,
      sendMessage,
      loginSource,
      logoutSource,
      removeSource,
    ],
    templates: [messageResource] as ResourceTemplate[],
    prompts: [analyzeConversation] as Prompt[],
    updates: messageUpdates,
    status: sourcesStatus,
    grants: [chatGrantsWith((name, source) => parts.chats.named(name, source))],
    mayHear: (principal, { data }) => mayReceive(principal, data, parts.hiddenFrom(principal)),
    events: ['message.', 'messages.'].map((prefix) => ({
      prefix,
      description: 'New, edited and deleted messages, reactions and imports, of the granted chats.',
      right: 'read',
      mayReceive: (principal, { data }) => mayReceive(principal, data, parts.hiddenFrom(principal)),
    })),
    filtersByGrants: true,
    parts,
    partsFor: (principal, context) => partsFor(parts, principal, context),
    noteDelivery: async (caller, data) => parts.outbox.noteRead(caller, readInEvent(data)),
  } satisfies OpenCapability;
}

/**
 * The parts for one call, limited to what is granted to its caller for reading and for sending. What it reads is noted; what it
 * only looks up to send is not.
 */
function partsFor(parts: ChatParts, principal: Principal, context: OperationContext): ChatParts & SendParts {
  const hidden = parts.hiddenFrom(principal);
  const shown = withoutSources(parts, hidden);
  return {
    ...parts,
    ...noted(parts, restricted(shown, readGrants(principal)), context),
    events: accessibleEvents(parts.events, principal, hidden),
    accounts: wholeAccounts(parts.accounts, readGrants(principal)),
    sendable: restricted(shown, sendGrants(principal)),
  };
}

/** The same for a capability that provides sources, whose own rights were checked. */
export function readableParts(parts: ChatParts, principal: Principal, context: OperationContext) {
  const { messages, chats } = noted(parts, restricted(parts, readGrants(principal)), context);
  return { messages, chats };
}

function noted<Stores extends Pick<ChatParts, 'messages'>>(
  { outbox }: ChatParts,
  stores: Stores,
  context: OperationContext,
): Stores {
  return { ...stores, messages: notingMessages(stores.messages, (chats) => outbox.noteRead(context, chats)) };
}
