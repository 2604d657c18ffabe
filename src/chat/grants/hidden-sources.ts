import type { StoredMessage } from '../ports.ts';
import type { RestrictedStores } from './restricted.ts';
import { checkWhole } from './restricted-messages.ts';

/** Sources that a principal may not read, regardless of its grants. */
export interface HiddenSources {
  readonly isEmpty: boolean;
  has(source: string): boolean;
}

/** The same stores for a principal that may read chats, but not these sources: they appear not to exist. */
export function withoutSources(stores: RestrictedStores, hidden: HiddenSources): RestrictedStores {
  if (hidden.isEmpty) return stores;
  const { sources, chats, messages, sourceRepository } = stores;
  const isShown = (source: string) => !hidden.has(source);
  const ifShown = (message: StoredMessage | undefined) => (message && isShown(message.source) ? message : undefined);
  const shownOf = async (wanted: readonly string[] | undefined) =>
    (wanted ?? (await sourceRepository.withData())).filter(isShown);
  const chatByKey: typeof chats.byKey = async (key) => {
    const chat = await chats.byKey(key);
    return chat && isShown(chat.source) ? chat : undefined;
  };
  const messageById: typeof messages.byId = async (id) => ifShown(await messages.byId(id));

  return {
    sources: {
      list: async () => (await sources.list()).filter(({ id }) => isShown(id)),
      describe: async () => (await sources.describe()).filter(({ id }) => isShown(id)),
      find: async (id) => (isShown(id) ? sources.find(id) : undefined),
    },
    chats: {
      list: async (source, filter, page) => (isShown(source) ? chats.list(source, filter, page) : { chats: [] }),
      resolve: async (wanted, name) => chats.resolve(await shownOf(wanted), name),
      named: async (name, source) => (await chats.named(name, source)).filter((chat) => isShown(chat.source)),
      byKey: chatByKey,
    },
    messages: {
      async record(batch) {
        checkWhole(isShown(batch.source));
        return messages.record(batch);
      },
      find: async (filter, page) => messages.find({ ...filter, sources: await shownOf(filter.sources) }, page),
      byId: messageById,
      byExternalId: async (chat, externalId) => ifShown(await messages.byExternalId(chat, externalId)),
      byExternalIds: async (keys, externalIds) =>
        (await messages.byExternalIds(keys, externalIds)).filter(({ source }) => isShown(source)),
      around: async (id, before, after) => ((await messageById(id)) ? messages.around(id, before, after) : []),
      thread: async (id, limit) => ((await messageById(id)) ? messages.thread(id, limit) : []),
      participants: async (chat, limit) => ((await chatByKey(chat)) ? messages.participants(chat, limit) : []),
      participantCount: async (chat) => ((await chatByKey(chat)) ? messages.participantCount(chat) : 0),
      timelines: async (source) => (isShown(source) ? messages.timelines(source) : []),
      extent: async (source, chat) => (isShown(source) ? messages.extent(source, chat) : { count: 0 }),
      async forgetBefore(source, timestamp) {
        checkWhole(isShown(source));
        return messages.forgetBefore(source, timestamp);
      },
    },
    sourceRepository: {
      list: async () => (await sourceRepository.list()).filter(({ id }) => isShown(id)),
      withData: async () => (await sourceRepository.withData()).filter(isShown),
      // Operations that change a source look it up first, and do not find it.
      add: (row) => sourceRepository.add(row),
      unlist: (id) => sourceRepository.unlist(id),
      remove: (id, progress) => sourceRepository.remove(id, progress),
      recall: (source, key) => sourceRepository.recall(source, key),
      find: (source, messages) => sourceRepository.find(source, messages),
      remember: (source, key, value) => sourceRepository.remember(source, key, value),
    },
  };
}
