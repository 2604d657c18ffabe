import type { InboundMessage } from '../../src/domain/chat.ts';

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

const SYLLABLES = [
  'b',
  'br',
  'd',
  'f',
  'g',
  'h',
  'k',
  'l',
  'm',
  'n',
  'p',
  'pr',
  'r',
  's',
  'st',
  't',
  'tr',
  'v',
  'w',
  'z',
].flatMap((onset) => ['a', 'e', 'i', 'o', 'u', 'ai', 'er', 'in'].map((rime) => onset + rime));

/** Common words are short, as in natural languages. */
function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank; ; rest = Math.floor(rest / SYLLABLES.length) - 1) {
    word += SYLLABLES[(rest * 67 + 31) % SYLLABLES.length];
    if (rest < SYLLABLES.length) return word;
  }
}

function cjkWordOf(rank: number): string {
  const character = (number: number) => String.fromCodePoint(0x4e00 + ((number * 7_919) % 6_000));
  return rank < 500 ? character(rank) : character(rank) + character(rank * 31 + 7);
}

function sentence(words: readonly string[]): string {
  const [first = '', ...others] = words;
  return `${[first.charAt(0).toUpperCase() + first.slice(1), ...others].join(' ')}.`;
}

/** Ranks by the Zipf–Mandelbrot law, for numbers from 0 to 1. */
function zipf(count: number, offset: number): (random: number) => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + 1 + offset);
    sums[rank] = sum;
  }
  return (random) => firstAbove(sums, random * sum);
}

function firstAbove(sums: Float64Array, wanted: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Mulberry32: small, fast, and good enough to generate text. */
export function randomFrom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
