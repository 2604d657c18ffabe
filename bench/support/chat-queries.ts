import type { ChatCorpus } from './chat-corpus.ts';
import { CHAT_SOURCES } from './chat-corpus.ts';
import { below, pick, SIGNED_TERMS } from './chat-identifiers.ts';
import { LATIN } from './chat-scripts.ts';
import { phraseIn, unwritten } from './chat-texts.ts';
import { cjkWordOf } from './generated-words.ts';

type Random = () => number;

/** One search, as each contender is asked for it; contenders that do not support it are missing. */
export interface ChatQuery {
  arguments: Record<string, unknown>;
  /** Conditions on `messages`, with their parameters. */
  like?: { where: string; values: (string | number)[] };
  /** All of the words, and the other conditions. */
  peer?: { words?: string; chat?: string; sender?: string; since?: number; limit: number; offset?: number };
}

export interface QueryKind {
  id: string;
  title: string;
  tool: 'search_messages' | 'get_messages' | 'list_sources' | 'list_chats' | 'switchboard_status';
  /** LIKE must read everything to find that there are no more matches. */
  isHardForLike?: boolean;
  /** Target for the 99th percentile, in milliseconds. */
  within: number;
  make(random: Random): ChatQuery;
}

const DAY = 86_400_000;

export function queryKinds(corpus: ChatCorpus): QueryKind[] {
  const since = new Date(corpus.to - 30 * DAY).toISOString();
  return [...wordKinds(corpus), ...partKinds(corpus), ...pageKinds(corpus, since)];
}

const common = (random: Random) => LATIN.word(below(300, random));
const medium = (random: Random) => LATIN.word(300 + below(5_000, random));
const rare = (random: Random) => LATIN.word(30_000 + below(60_000, random));

function wordKinds(corpus: ChatCorpus): QueryKind[] {
  const kind = (id: string, title: string, make: (random: Random) => ChatQuery, isHardForLike = false): QueryKind => ({
    ...{ id, title, tool: 'search_messages', within: 10, make },
    ...(isHardForLike ? { isHardForLike } : {}),
  });
  return [
    kind('rare', 'a rare word', (random) => byWords(rare(random)), true),
    kind('common', 'a common word', (random) => byWords(common(random))),
    kind('two', 'two words', (random) => byWords(`${medium(random)} ${medium(random)}`), true),
    kind('two-common', 'two common words', (random) => byWords(`${common(random)} ${common(random)}`)),
    kind('phrase', 'a phrase', (random) => search(`"${phraseOf(corpus, random)}"`)),
    kind('not', 'a word without another', (random) => search(`${medium(random)} -${common(random)}`)),
    kind('either', 'one of two words', (random) => search(`${medium(random)} OR ${rare(random)}`)),
    kind('cjk', 'two characters of a Chinese text', (random) => byWords(cjkWordOf(2_000 + below(8_000, random))), true),
    kind('signs', 'words with signs, and signs only', (random) => search(pick(SIGNED_TERMS, random))),
    kind('identifier', 'an identifier', (random) => search(identifierOf(corpus, random))),
    {
      ...kind('identifier-part', 'a part of an identifier', (random) =>
        search(pieceOf(identifierOf(corpus, random), random)),
      ),
      // Where it is no word, it is searched as a part of a text.
      within: 100,
    },
    kind('unwritten', 'a word that was never written', (random) => byWords(unwritten(random)), true),
    kind(
      'unwritten-two',
      'a common word and one never written',
      (random) => byWords(`${common(random)} ${unwritten(random)}`),
      true,
    ),
    kind('source', 'a common word in one source', (random) =>
      search(common(random), { source: pick(CHAT_SOURCES, random) }),
    ),
    kind('small-chat', 'a common word in a small chat', (random) => inSmallChat(corpus, random), true),
    kind('from', 'a common word from a sender', (random) =>
      search(`${common(random)} from:${corpus.sender(below(500, random)).id}`),
    ),
    kind('when', 'a common word before a day', (random) => search(common(random), { before: dayOf(corpus, random) })),
    kind('relevance', 'two words, by relevance', (random) =>
      search(`${medium(random)} ${common(random)}`, { sort: 'relevance' }),
    ),
  ];
}

/** Any part of a text. */
function partKinds(corpus: ChatCorpus): QueryKind[] {
  const kind = (id: string, title: string, text: (random: Random) => string, where: object = {}): QueryKind => ({
    ...{ id, title, tool: 'get_messages', within: 100 },
    make: (random) => {
      const wanted = text(random);
      return {
        arguments: { search: wanted, ...where },
        like: { where: `text like ? escape '\\'`, values: [`%${wanted.replaceAll(/[\\%_]/g, '\\$&')}%`] },
      };
    },
  });
  return [
    kind('part', 'a part of a word', (random) => pieceOf(LATIN.word(1_000 + below(90_000, random)), random)),
    kind('part-short', 'two letters', (random) => LATIN.word(200 + below(5_000, random)).slice(1, 3)),
    kind('part-two', 'the end of a word and the beginning of the next', (random) =>
      acrossWords(phraseOf(corpus, random)),
    ),
    kind('part-signs', 'signs, as a part of a text', (random) => pick(SIGNED_TERMS, random)),
    kind('part-signs-source', 'signs in one source', (random) => pick(SIGNED_TERMS, random), { source: 'whatsapp' }),
    kind('part-identifier', 'a part of an identifier, in any text', (random) =>
      pieceOf(identifierOf(corpus, random), random),
    ),
    kind('part-url', 'a part of an address', (random) => `/${medium(random)}/${common(random).slice(0, 2)}`),
    kind('part-unwritten', 'a text that was never written', unwritten),
  ];
}

function pageKinds(corpus: ChatCorpus, since: string): QueryKind[] {
  const kind = (
    id: string,
    title: string,
    make: (random: Random) => ChatQuery,
    { tool = 'get_messages', within = 10 }: Partial<Pick<QueryKind, 'tool' | 'within'>> = {},
  ): QueryKind => ({ id, title, tool, within, make });
  return [
    kind('latest', 'a default page', () => ({ arguments: {}, peer: { limit: 100 } })),
    kind('chat-page', 'a default page of a chat', (random) => {
      const { source, message } = messageOf(corpus, random);
      return { arguments: { source, chat: message.chat.id } };
    }),
    {
      ...kind('sender', 'a sender, since a month ago', (random) =>
        bySender(corpus.sender(below(5_000, random)).id, since),
      ),
      isHardForLike: true,
    },
    kind('deep', 'a page 1,000 messages back', () => ({ arguments: { offset: 1_000 } })),
    kind('chats', 'a page of chats', (random) => ({ arguments: { source: pick(CHAT_SOURCES, random) } }), {
      tool: 'list_chats',
      within: 100,
    }),
    kind('sources', '`list_sources`', () => ({ arguments: {} }), { tool: 'list_sources', within: 2 }),
    kind('status', '`switchboard_status`', () => ({ arguments: {} }), { tool: 'switchboard_status', within: 2 }),
  ];
}

function search(query: string, where: object = {}): ChatQuery {
  return { arguments: { query, ...where } };
}

/** What all contenders can do. */
function byWords(text: string): ChatQuery {
  const words = text.split(' ');
  return {
    ...search(text),
    like: { where: words.map(() => 'text like ?').join(' and '), values: words.map((word) => `%${word}%`) },
    peer: { words: text, limit: 20 },
  };
}

function inSmallChat(corpus: ChatCorpus, random: Random): ChatQuery {
  const { source, message } = corpus.message(corpus.smallEvery * below(corpus.messages / corpus.smallEvery, random));
  const text = common(random);
  const chat = message.chat.id;
  return {
    ...search(text, { source, chat }),
    like: { where: 'chat in (select key from chats where id = ?) and text like ?', values: [chat, `%${text}%`] },
    peer: { words: text, chat, limit: 20 },
  };
}

function bySender(sender: string, since: string): ChatQuery {
  const at = Date.parse(since);
  return {
    arguments: { sender, since },
    like: { where: 'sender in (select key from senders where id = ?) and at >= ?', values: [sender, at] },
    peer: { sender, since: at, limit: 100 },
  };
}

function messageOf(corpus: ChatCorpus, random: Random) {
  return corpus.message(below(corpus.messages, random));
}

function phraseOf(corpus: ChatCorpus, random: Random): string {
  for (;;) {
    const phrase = phraseIn(messageOf(corpus, random).message.text, random);
    if (phrase !== undefined) return phrase;
  }
}

const IDENTIFIER = /[A-Za-z]+(?:_[A-Za-z]+)+|[a-z]+[A-Z][A-Za-z]+/g;

function identifierOf(corpus: ChatCorpus, random: Random): string {
  for (;;) {
    const found = messageOf(corpus, random).message.text.match(IDENTIFIER);
    if (found) return pick(found, random);
  }
}

/** Four characters or more from within the text. */
function pieceOf(text: string, random: Random): string {
  const length = Math.min(text.length, 4 + below(3, random));
  const start = below(text.length - length + 1, random);
  return text.slice(start, start + length);
}

function acrossWords(phrase: string): string {
  const space = phrase.indexOf(' ');
  return phrase.slice(Math.max(0, space - 3), space + 4);
}

function dayOf(corpus: ChatCorpus, random: Random): string {
  return new Date(corpus.from + random() * (corpus.to - corpus.from)).toISOString().slice(0, 10);
}
