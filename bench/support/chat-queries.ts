import type { MessageFilter, PageRequest } from '../../src/chat/ports.ts';
import type { ChatCorpus } from './chat-corpus.ts';

/** One search, as each contender is asked for it; contenders that do not support it are missing. */
export interface ChatQuery {
  ours: { filter: MessageFilter; page: PageRequest };
  /** Conditions on `messages`, with their parameters. */
  like?: { where: string; values: (string | number)[] };
  /** All of the words, and the other conditions. */
  peer?: { words?: string; chat?: string; sender?: string; since?: number; limit: number; offset?: number };
}

export interface QueryKind {
  id: string;
  title: string;
  /** LIKE must read everything to find that there are no more matches. */
  isHardForLike?: boolean;
  /** Target for the 99th percentile, in milliseconds. */
  within: number;
  make(random: () => number): ChatQuery;
}

/** The keys of a corpus's chats and senders in the store that contains it. */
export interface Keys {
  chat(id: string): number;
  sender(id: string): number;
}

const LIMIT = 20;
const DAY = 86_400_000;

export function queryKinds(corpus: ChatCorpus, keys: Keys): QueryKind[] {
  const page = { limit: LIMIT };
  const words = (text: string): Pick<ChatQuery, 'like' | 'peer'> => ({
    like: {
      where: text
        .split(' ')
        .map(() => 'text like ?')
        .join(' and '),
      values: text.split(' ').map((word) => `%${word}%`),
    },
    peer: { words: text, limit: LIMIT },
  });
  const byWords = (text: string): ChatQuery => ({
    ours: { filter: { text: { kind: 'words', text } }, page },
    ...words(text),
  });
  const word = (random: () => number, from: number, to: number) => corpus.word(between(random, from, to));
  return [
    {
      ...{ id: 'rare', title: 'a rare word', isHardForLike: true, within: 10 },
      make: (random) => byWords(word(random, 40_000, 190_000)),
    },
    { ...{ id: 'common', title: 'a common word', within: 10 }, make: (random) => byWords(word(random, 0, 300)) },
    {
      ...{ id: 'two', title: 'two words', isHardForLike: true, within: 10 },
      make: (random) => byWords(`${word(random, 300, 3_000)} ${word(random, 1_000, 8_000)}`),
    },
    {
      ...{ id: 'part', title: 'a part of a word', within: 60 },
      make: (random) => {
        const text = pieceOf(word(random, 1_000, 100_000), random);
        return {
          ours: { filter: { text: { kind: 'part', text } }, page },
          like: { where: 'text like ?', values: [`%${text}%`] },
        };
      },
    },
    {
      ...{ id: 'cjk', title: 'two characters of a Chinese text', isHardForLike: true, within: 10 },
      make: (random) => byWords(corpus.cjkWord(between(random, 2_000, 10_000))),
    },
    {
      ...{ id: 'sender', title: 'a sender, since a month ago', isHardForLike: true, within: 10 },
      make: (random) => {
        const { id } = corpus.sender(between(random, 0, 5_000));
        const since = corpus.to - 30 * DAY;
        return {
          ours: { filter: { sender: id, since }, page },
          like: { where: 'sender = ? and at >= ?', values: [keys.sender(id), since] },
          peer: { sender: id, since, limit: LIMIT },
        };
      },
    },
    {
      ...{ id: 'small-chat', title: 'a common word in a small chat', isHardForLike: true, within: 10 },
      make: (random) => {
        const { id } = corpus.chat(between(random, 300, 400));
        const text = word(random, 0, 300);
        const { like } = words(text);
        return {
          ours: { filter: { chats: [keys.chat(id)], text: { kind: 'words', text } }, page },
          ...(like ? { like: { where: `chat = ? and ${like.where}`, values: [keys.chat(id), ...like.values] } } : {}),
          peer: { words: text, chat: id, limit: LIMIT },
        };
      },
    },
    {
      ...{ id: 'latest', title: 'the latest 100', within: 10 },
      make: () => ({ ours: { filter: {}, page: { limit: 100 } }, peer: { limit: 100 } }),
    },
    {
      ...{ id: 'deep', title: '100 of a common word, 1,000 deep', within: 10 },
      make: (random) => {
        const text = word(random, 0, 300);
        return {
          ours: { filter: { text: { kind: 'words', text } }, page: { limit: 100, offset: 1_000 } },
          peer: { words: text, limit: 100, offset: 1_000 },
        };
      },
    },
  ];
}

function between(random: () => number, from: number, to: number): number {
  return from + Math.floor(random() * (to - from));
}

/** Four letters or more from within the word. */
function pieceOf(word: string, random: () => number): string {
  const length = Math.min(word.length, between(random, 4, 7));
  const start = between(random, 0, word.length - length + 1);
  return word.slice(start, start + length);
}
