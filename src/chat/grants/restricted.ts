import type { Grants } from '../../domain/grants.ts';
import type { ChatStore, MessageStore, SourceRepository } from '../ports.ts';
import type { Accounts, Sources, SourceView } from '../sources.ts';
import { restrictedChats } from './restricted-chats.ts';
import { checkWhole, restrictedMessages } from './restricted-messages.ts';

/** The stores of chat through which callers read and write. */
export interface RestrictedStores {
  sources: Sources;
  chats: ChatStore;
  messages: MessageStore;
  sourceRepository: SourceRepository;
}

/**
 * The same stores, limited to what is granted. They are made for one call, so that a chat that is renamed or joined is considered
 * from the next call on.
 */
export function restricted(stores: RestrictedStores, grants: Grants): RestrictedStores {
  if (grants.everything) return stores;
  const chats = restrictedChats(stores.chats, grants);
  const messages = restrictedMessages(stores.messages, chats, grants);
  return {
    chats,
    messages,
    sources: restrictedSources(stores.sources, messages, grants),
    sourceRepository: restrictedSourceRepository(stores.sourceRepository, grants),
  };
}

/** Sources of which something is granted, with counts of the granted chats alone. */
function restrictedSources(sources: Sources, messages: MessageStore, { sources: granted }: Grants): Sources {
  /** Without what is about all chats of the source: the progress and the completeness of its history. */
  async function confined(whole: SourceView): Promise<SourceView> {
    if (granted.get(whole.id) === '*') return whole;
    const { historyBackTo: _, historyComplete: __, fetching: ___, ...view } = whole;
    const { count, oldest } = await messages.extent(view.id);
    const everSynced = view.everSynced && count > 0;
    return { ...view, everSynced, messages: count, ...(oldest === undefined ? {} : { historyBackTo: oldest }) };
  }
  return {
    list: async () => (await sources.list()).filter(({ id }) => granted.has(id)),
    async describe() {
      return Promise.all((await sources.describe()).filter(({ id }) => granted.has(id)).map(confined));
    },
    async find(id) {
      const found = granted.has(id) ? await sources.find(id) : undefined;
      return found && confined(found);
    },
  };
}

function restrictedSourceRepository(repository: SourceRepository, { sources }: Grants): SourceRepository {
  const whole = (id: string) => sources.get(id) === '*';
  return {
    list: async () => (await repository.list()).filter(({ id }) => whole(id)),
    withData: async () => (await repository.withData()).filter(whole),
    async add(row) {
      checkWhole(whole(row.id));
      return repository.add(row);
    },
    async unlist(id) {
      checkWhole(whole(id));
      return repository.unlist(id);
    },
    async remove(id, progress) {
      checkWhole(whole(id));
      return repository.remove(id, progress);
    },
    async find(source, messages) {
      checkWhole(whole(source));
      return repository.find(source, messages);
    },
    async recall(source, key) {
      checkWhole(whole(source));
      return repository.recall(source, key);
    },
    async remember(source, key, value) {
      checkWhole(whole(source));
      return repository.remember(source, key, value);
    },
  };
}

/** An account belongs to a whole source. */
export function wholeAccounts(accounts: Accounts, { everything, sources }: Grants): Accounts {
  const check = (source: string) => checkWhole(everything || sources.get(source) === '*');
  return {
    async login(source, answer) {
      check(source);
      return accounts.login(source, answer);
    },
    async logout(source) {
      check(source);
      return accounts.logout(source);
    },
    async signedOnOrOff(source) {
      check(source);
      await accounts.signedOnOrOff(source);
    },
  };
}
