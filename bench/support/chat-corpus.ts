import type { InboundMessage } from '../../src/domain/chat.ts';
import { cjkWordOf, normal, randomFrom, sentence, wordOf, zipf } from './generated-words.ts';

/** Typical conversations, the same at every run. */
export interface ChatCorpus {
  readonly messages: number;
  /** Timestamps of the first and, approximately, the last message. */
  readonly from: number;
  readonly to: number;
  /** This many messages from this one on, in order of time. */
  part(start: number, count: number): InboundMessage[];
  /** The word of this rank: 0 is the most common one. */
  word(rank: number): string;
  cjkWord(rank: number): string;
  chat(rank: number): { id: string; name: string };
  sender(rank: number): { id: string; name: string };
}

const YEARS = 3;
const CHATS = 400;
const SENDERS = 5_000;
const VOCABULARY = 200_000;
const CJK_VOCABULARY = 20_000;
const CJK_SHARE = 0.03;
const MAIL_SHARE = 1 / 6;
const END = Date.UTC(2026, 10, 1);
const FROM = END - YEARS * 365.25 * 86_400_000;

export function createChatCorpus(messages: number): ChatCorpus {
  const step = (END - FROM) / messages;
  const chats = zipf(CHATS, 1);
  const senders = zipf(SENDERS, 1);
  const words = zipf(VOCABULARY, 2.7);
  const cjkWords = zipf(CJK_VOCABULARY, 2.7);

  function message(index: number): InboundMessage {
    const random = randomFrom(index + 1);
    const text = random() < CJK_SHARE ? cjkText(random) : latinText(random);
    return {
      chat: chat(chats(random())),
      id: `m${index}`,
      sender: sender(senders(random())),
      text,
      at: Math.floor(FROM + (index + random()) * step),
    };
  }

  function latinText(random: () => number): string {
    const [median, spread] = random() < MAIL_SHARE ? [55, 0.7] : [9, 0.9];
    const count = Math.max(1, Math.round(median * Math.exp(spread * normal(random))));
    return sentence(Array.from({ length: Math.min(count, 500) }, () => wordOf(words(random()))));
  }

  function cjkText(random: () => number): string {
    const count = Math.max(1, Math.round(8 * Math.exp(0.7 * normal(random))));
    return `${Array.from({ length: Math.min(count, 100) }, () => cjkWordOf(cjkWords(random()))).join('')}。`;
  }

  return {
    messages,
    from: FROM,
    to: END,
    part: (start, count) => {
      const end = Math.min(start + count, messages);
      return Array.from({ length: Math.max(end - start, 0) }, (_, index) => message(start + index));
    },
    word: wordOf,
    cjkWord: cjkWordOf,
    chat,
    sender,
  };
}

const chat = (rank: number) => ({ id: `chat${rank}`, name: `Chat ${wordOf(rank)}`, type: 'group' as const });
const sender = (rank: number) => ({ id: `user${rank}`, name: `${wordOf(rank * 7)} ${wordOf(rank * 13 + 1)}` });
