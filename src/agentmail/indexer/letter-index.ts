import type { EventLog } from '../../domain/event-log.ts';
import type { Clock } from '../../lib/clock.ts';
import { once } from '../../lib/once.ts';
import { withVerifiedSender } from '../delivery/verified-sender.ts';
import type {
  AgentmailStore,
  IndexedLetter,
  LetterFilter,
  LetterIndex,
  LetterMessage,
  LetterMessages,
  LetterPage,
  MailboxChats,
} from '../ports.ts';
import { AGENTMAIL, letterEvent, repositoryKey, repositoryKeyOf, toLetter, writerEvents } from './letter-message.ts';

export interface LetterIndexParts extends AgentmailStore {
  messages: LetterMessages;
  chats: MailboxChats;
  events: Pick<EventLog, 'append'>;
  clock: Clock;
  /** Letters were added: from the first on, agent mail is a source of chat. */
  onMail(): Promise<void>;
}

/** Letters older than this are history: subscribers are not notified of them. */
const LIVE_MS = 10 * 60_000;
const BATCH_SIZE = 500;
const CHATS_PER_PAGE = 500;
/** Two agents that reply to each other for days would fill any screen. */
const MAX_IN_THREAD = 1_000;

/** Letters in chat's message store, with what agent mail itself stores beside them. */
export function createLetterIndex(parts: LetterIndexParts): LetterIndex {
  const { messages, records, repositories, formerLetters, ownLetters, events, clock, onMail } = parts;
  const knownFolders = new Map<string, string>();
  const copyFormerLetters = once(() => formerLetters.copyTo((letters) => store(letters, 'import'), BATCH_SIZE));

  async function store(letters: readonly IndexedLetter[], origin: 'live' | 'import'): Promise<void> {
    for (const repository of new Set(letters.map((letter) => letter.repository))) await keepKnown(repository);
    const verified = await Promise.all(
      letters.map((letter) => withVerifiedSender(letter.repository, letter, ownLetters.has)),
    );
    const inbound = [...writerEvents(verified), ...verified.map((letter) => letterEvent(letter, clock.now()))];
    for (let from = 0; from < inbound.length; from += BATCH_SIZE) {
      await messages.record({ source: AGENTMAIL, events: inbound.slice(from, from + BATCH_SIZE), origin });
    }
  }

  async function add(letters: readonly IndexedLetter[]): Promise<void> {
    const isLive = ({ createdAt = 0 }: IndexedLetter) => createdAt > clock.now() - LIVE_MS;
    const { live = [], history = [] } = Object.groupBy(letters, (letter) => (isLive(letter) ? 'live' : 'history'));
    await store(history, 'import');
    await store(live, 'live');
    if (letters.length > 0) await onMail();
  }

  /** A mailbox's id has only a hash of its repository: the folder must be found by it. */
  async function keepKnown(repository: string): Promise<void> {
    if ((await folderOf(repositoryKey(repository))) !== undefined) return;
    await repositories.note(repository);
    knownFolders.set(repositoryKey(repository), repository);
  }

  async function folderOf(key: string): Promise<string | undefined> {
    if (!knownFolders.has(key)) {
      for (const folder of await repositories.folders()) knownFolders.set(repositoryKey(folder), folder);
    }
    return knownFolders.get(key);
  }

  async function toLetters(found: readonly LetterMessage[]): Promise<IndexedLetter[]> {
    const known = new Map<string, { repository: string; replies: ReadonlyMap<string, string> }>();
    for (const [key, group = []] of Map.groupBy(found, ({ chat }) => repositoryKeyOf(chat.id))) {
      const repository = (await folderOf(key)) ?? key;
      const ids = group.map(({ externalId }) => externalId);
      known.set(key, { repository, replies: await records.repliesAmong(repository, ids) });
    }
    return found.map((message) => {
      const { repository = '', replies } = known.get(repositoryKeyOf(message.chat.id)) ?? {};
      return toLetter(message, { repository, inReplyTo: replies?.get(message.externalId) });
    });
  }

  return {
    copyFormerLetters,
    async add(letters, mark) {
      await add(letters);
      for (const { repository, id, inReplyTo } of letters) {
        if (inReplyTo !== undefined) await records.link(repository, [{ id, inReplyTo }]);
      }
      // Last, because letters before the mark are not read again.
      if (mark) await records.saveMark(mark);
    },
    async record(letter, passed) {
      await add([letter]);
      const { repository, id, from, to } = letter;
      await events.append([{ type: `agentmail.${passed}`, subject: id, data: { from, to, repository } }]);
    },
    link: records.link,
    mark: records.mark,
    clearMarks: records.clearMarks,
    async find(filter) {
      await copyFormerLetters();
      const { messages: found, next } = await findPage(filter, parts);
      return { letters: await toLetters(found), ...(next === undefined ? {} : { next }) };
    },
    async thread(id) {
      await copyFormerLetters();
      const mailboxes = await mailboxesOf(parts.chats);
      const newest = (await messages.byExternalIds(keysOf(mailboxes), [id])).at(-1);
      if (!newest) return [];
      const key = repositoryKeyOf(newest.chat.id);
      const ids = await records.thread((await folderOf(key)) ?? key, id, MAX_IN_THREAD);
      const own = mailboxes.filter((chat) => repositoryKeyOf(chat.id) === key);
      return toLetters(await messages.byExternalIds(keysOf(own), ids));
    },
    async count() {
      await copyFormerLetters();
      return (await messages.extent(AGENTMAIL)).count;
    },
  };
}

type FoundPage = Pick<LetterPage, 'next'> & { messages: readonly LetterMessage[] };

async function findPage(filter: LetterFilter, { messages, chats }: LetterIndexParts): Promise<FoundPage> {
  const { words, agent, repository, limit, cursor } = filter;
  const prefixes = words?.filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (prefixes?.length === 0) return { messages: [] };
  const { messages: found, hasMore } = await messages.find(
    {
      sources: [AGENTMAIL],
      ...(agent === undefined ? {} : { involving: agent }),
      ...(repository === undefined ? {} : { chats: keysOf(await mailboxesOf(chats, repository)) }),
      ...(prefixes ? { text: { kind: 'prefixes', text: prefixes.join(' ') } } : {}),
    },
    { limit, ...(cursor === undefined ? {} : { beforeId: cursor.slice(cursor.indexOf('.') + 1) }) },
  );
  const last = found.at(-1);
  return { messages: found, ...(hasMore && last ? { next: `${last.at}.${last.id}` } : {}) };
}

interface Mailbox {
  key: number;
  id: string;
}

/** The mailboxes of one repository, or of all. */
async function mailboxesOf(chats: MailboxChats, repository?: string): Promise<readonly Mailbox[]> {
  const key = repository === undefined ? undefined : repositoryKey(repository);
  const found: Mailbox[] = [];
  for (let after: string | undefined; ; ) {
    const page = await chats.list(AGENTMAIL, {}, { limit: CHATS_PER_PAGE, ...(after === undefined ? {} : { after }) });
    found.push(...page.chats.filter(({ id }) => key === undefined || repositoryKeyOf(id) === key));
    if (page.next === undefined) return found;
    after = page.next;
  }
}

function keysOf(mailboxes: readonly Mailbox[]): number[] {
  return mailboxes.map(({ key }) => key);
}
